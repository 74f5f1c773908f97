// Routes of labels.
import { changes, operations, reads, type Route } from 'hexforge/plugin';
import type { LabelUseCases } from './labels.ts';
import { labelBody, labelChangeBody, labelJson, presentLabel } from './schemas.ts';

const label = operations({
  noun: 'label',
  id: 'labels',
  path: '/repos/{owner}/{repo}/labels',
  reading: { access: reads('repository', 'repo.read'), scope: 'repo.read' },
  writing: { access: changes('repository', 'repo.write'), scope: 'repo.write' },
  json: labelJson,
  present: presentLabel,
});

export const labelRoutes = (labels: LabelUseCases): readonly Route[] => [
  label.page({ run: labels.list }),
  label.create({ body: labelBody, statuses: [409, 422], run: labels.create }),
  label.fetch({ run: labels.fetch }),
  label.update({ body: labelChangeBody, statuses: [409], run: labels.update }),
  label.delete({ run: labels.delete }),
];
