import ts from 'typescript';

/** A source as text, with its name for messages. */
export interface Source {
  file: string;
  text: string;
}

const ACCOUNT_ID = 'accountId';

function parse({ file, text }: Source): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

/** The exported functions of a source that are async: all that reach a database are. */
export function exportedAsyncFunctions(source: Source): ts.FunctionDeclaration[] {
  return parse(source).statements.filter(
    (statement): statement is ts.FunctionDeclaration =>
      ts.isFunctionDeclaration(statement) &&
      has(statement, ts.SyntaxKind.ExportKeyword) &&
      isAsync(statement),
  );
}

/** Whether one of the first parameters is `accountId: string`, and not optional. */
export function takesAccount({ parameters }: ts.FunctionDeclaration, among: number): boolean {
  return parameters
    .slice(0, among)
    .some(
      ({ name, type, questionToken, initializer }) =>
        name.getText() === ACCOUNT_ID && type?.getText() === 'string' && !questionToken && !initializer,
    );
}

/** The names that a source imports from a package, without types. */
export function importedFrom(source: Source, packages: ReadonlySet<string>): string[] {
  return parse(source).statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const bindings = statement.importClause?.namedBindings;
    const isOther =
      !packages.has(statement.moduleSpecifier.text) ||
      statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    if (isOther || !bindings || !ts.isNamedImports(bindings)) return [];
    return bindings.elements
      .filter(({ isTypeOnly }) => !isTypeOnly)
      .map(({ name, propertyName }) => (propertyName ?? name).text);
  });
}

const QUERY = /(^|\.)(query|\$queryRaw\w*|\$executeRaw\w*)$/;

/** The texts of the queries that a source sends itself. */
export function queriesIn(source: Source): string[] {
  return nodesOf(parse(source)).flatMap((node) => {
    const callee = ts.isTaggedTemplateExpression(node)
      ? node.tag
      : ts.isCallExpression(node)
        ? node.expression
        : undefined;
    return callee && QUERY.test(callee.getText()) ? [node.getText().split('\n')[0] ?? ''] : [];
  });
}

const STATEMENT = /\b(SELECT|UPDATE|INSERT INTO|DELETE FROM)\b/;
const BOUND =
  /\baccount_id = \$1(?!\d)|\(p_account_id => \$1\)|INSERT INTO \w+ \(account_id, [^)]*\)\s+VALUES \(\$1, /;

/** The statements of a source that are not bound to the account `$1`, by the name of their declaration. */
export function unboundStatements(source: Source): string[] {
  return nodesOf(parse(source))
    .filter((node) => isText(node) && !isWithinText(node))
    .filter((node) => STATEMENT.test(node.getText()) && !BOUND.test(node.getText()))
    .map(nameOfDeclaration);
}

function nodesOf(root: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return nodes;
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function isWithinText({ parent }: ts.Node): boolean {
  return ts.isSourceFile(parent) ? false : ts.isTemplateExpression(parent) || isWithinText(parent);
}

function nameOfDeclaration(node: ts.Node): string {
  let at = node;
  while (!ts.isSourceFile(at.parent.parent)) at = at.parent;
  if (ts.isVariableDeclarationList(at)) return at.declarations[0]?.name.getText() ?? '';
  const { parent } = at;
  return ts.isFunctionDeclaration(parent) ? (parent.name?.text ?? '') : '';
}

function has(node: ts.FunctionDeclaration, kind: ts.SyntaxKind): boolean {
  return node.modifiers?.some((modifier) => modifier.kind === kind) ?? false;
}

function isAsync(node: ts.FunctionDeclaration): boolean {
  return has(node, ts.SyntaxKind.AsyncKeyword) || (node.type?.getText().startsWith('Promise<') ?? false);
}
