// Prints, as JSON, what GitHub's own parser finds wrong with workflow files. Its package imports JSON in a way that only
// bundlers take: release-workflow.spec.ts bundles this.
import { readFileSync } from 'node:fs';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';

const problems = [];
for (const name of process.argv.slice(2)) {
  const file = { name, content: readFileSync(name, 'utf8') };
  const { context, value } = parseWorkflow(file, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  problems.push(...context.errors.getErrors().map(({ message }) => message));
}
process.stdout.write(JSON.stringify(problems));
