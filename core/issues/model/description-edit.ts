// One change of an issue's description.
import type { PublicUser } from '#core/identity/index';

/** One change of a description. */
export interface DescriptionEdit {
  readonly id: string;
  readonly issueId: string;
  readonly bodyBefore: string;
  readonly bodyAfter: string;
  readonly editedBy: string;
  readonly editedAt: Date;
}

/** A change with its editor, as responses show it. */
export interface DescriptionEditView extends DescriptionEdit {
  readonly editor: PublicUser;
}
