// The JSON shapes of milestones.
import { count, maybe, oneOf, orNull, presenter, shape, text, time, uuid, word } from 'hexforge/plugin';
import { maxMilestoneDescription, maxMilestoneTitle, milestoneStates } from 'hexforge/planning';

const title = word().max(maxMilestoneTitle);
const description = text().max(maxMilestoneDescription);
const dueDate = maybe(orNull(text().max(10)).description('YYYY-MM-DD; empty or null for none'));
const state = oneOf(...milestoneStates);

export const milestoneBody = shape({ title, description: maybe(description), due_date: dueDate }).id('MilestoneCreate');
export const milestoneChangeBody = shape({
  title: maybe(title),
  description: maybe(description),
  due_date: dueDate,
  state: maybe(state),
}).id('MilestoneUpdate');

export const milestoneListQuery = shape({
  state: maybe(
    oneOf(...milestoneStates, 'all')
      .empty('')
      .description('Default all'),
  ),
});

export const milestoneJson = shape({
  id: uuid(),
  repo_id: uuid(),
  title,
  description,
  due_date: orNull(word()),
  state,
  created_at: time(),
  closed_at: orNull(time()),
  open_issues: count(),
  closed_issues: count(),
}).id('Milestone');
export const presentMilestone = presenter(milestoneJson, { repo_id: 'repositoryId' });
