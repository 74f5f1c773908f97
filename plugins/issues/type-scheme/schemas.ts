// The JSON shapes of type schemes.
import { count, list, shape, uuid, type TypeOf } from 'hexforge/plugin';
import { maxTypes, type IssueType } from 'hexforge/issues';
import { presentIssueType, issueTypeJson } from '../types/schemas.ts';

export const schemeBody = shape({
  type_ids: list(uuid()).max(maxTypes).description('In order; empty for every type'),
}).id('IssueTypeSchemeReplace');

const schemeItemJson = shape({ issue_type: issueTypeJson, position: count() }).id('IssueTypeSchemeItem');
export const schemeJson = list(schemeItemJson);

/** Positions start at 0. */
export const presentScheme = (types: readonly IssueType[]): TypeOf<typeof schemeJson> =>
  types.map((type, position) => ({ issue_type: presentIssueType(type), position }));
