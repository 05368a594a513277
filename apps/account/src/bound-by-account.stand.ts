import ts from 'typescript';

/** A source as text, with its name for messages. */
export interface Source {
  file: string;
  text: string;
}

const ACCOUNT_ID = 'accountId';

export function parse({ file, text }: Source): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

/** The functions that a source exports and that may wait for something: all that reach a database do. */
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

/** The names that a source takes from a package, types left out. */
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

/** The calls of Prisma's client in a source that are not bound to an account, and all raw SQL, as text. */
export function unboundQueries(source: Source): string[] {
  const root = parse(source);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isRaw = ts.isTaggedTemplateExpression(node) && RAW.test(node.tag.getText());
    if (isRaw || (ts.isCallExpression(node) && isUnbound(node, root)))
      found.push(node.getText().split('\n')[0] ?? '');
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}

const RAW = /(^|\.)(query|\$queryRaw\w*|\$executeRaw\w*)$/;
const OF_PRISMA = /(^|\.)(prisma|tx)\.(\w+)\.\w+$/;

function isUnbound(call: ts.CallExpression, root: ts.SourceFile): boolean {
  const callee = call.expression.getText();
  if (RAW.test(callee)) return true;
  const model = OF_PRISMA.exec(callee)?.[3];
  if (model === undefined) return false;
  const query = objectOf(call.arguments[0], root);
  const bound = objectOf(memberOf(query, 'where') ?? memberOf(query, 'data'), root);
  const column = memberOf(bound, model === 'account' ? 'id' : ACCOUNT_ID);
  return column?.getText() !== ACCOUNT_ID;
}

/** An object as it is written, also where it is a constant of the same source. */
function objectOf(node: ts.Node | undefined, root: ts.SourceFile): ts.ObjectLiteralExpression | undefined {
  if (node === undefined || ts.isObjectLiteralExpression(node)) return node;
  let found: ts.ObjectLiteralExpression | undefined;
  const visit = (other: ts.Node): void => {
    const isIt = ts.isVariableDeclaration(other) && other.name.getText() === node.getText();
    if (isIt && other.initializer && ts.isObjectLiteralExpression(other.initializer))
      found = other.initializer;
    ts.forEachChild(other, visit);
  };
  visit(root);
  return found;
}

function memberOf(object: ts.ObjectLiteralExpression | undefined, name: string): ts.Expression | undefined {
  for (const property of object?.properties ?? []) {
    if (property.name?.getText() !== name) continue;
    if (ts.isPropertyAssignment(property)) return property.initializer;
    if (ts.isShorthandPropertyAssignment(property)) return property.name;
  }
  return undefined;
}

function has(node: ts.FunctionDeclaration, kind: ts.SyntaxKind): boolean {
  return node.modifiers?.some((modifier) => modifier.kind === kind) ?? false;
}

function isAsync(node: ts.FunctionDeclaration): boolean {
  return has(node, ts.SyntaxKind.AsyncKeyword) || (node.type?.getText().startsWith('Promise<') ?? false);
}
