// The routes of components.
import { operations, type Route } from 'hexforge/plugin';
import type { IssueUseCases } from '#core/issues/use-cases';
import { managing, reading } from '../params.ts';
import { componentBody, componentChangeBody, componentJson, presentComponent } from './schemas.ts';

const component = operations({
  noun: 'component',
  path: '/repos/{owner}/{repo}/components',
  reading,
  writing: managing,
  json: componentJson,
  present: presentComponent,
});

export const componentRoutes = ({ components }: IssueUseCases): readonly Route[] => [
  component.page({ run: components.list }),
  component.create({ body: componentBody, statuses: [409], run: components.create }),
  component.update({
    body: componentChangeBody,
    statuses: [409],
    run: (granted, { id, ...patch }) => components.update(granted, { id, patch }),
  }),
  component.delete({ run: components.delete }),
];
