// A review of a merge request (document B, "States and transitions"): one of each person, asked for or given.

/** Of somebody who was asked, `pending` until they answer. */
export const reviewStates = ['pending', 'approved', 'changes_requested'] as const;
/** Of a reviewer: asked, or what they answered. */
export type ReviewState = (typeof reviewStates)[number];

/** What a review that is submitted says. */
export const verdicts = ['approved', 'changes_requested'] as const;
/** What a reviewer may answer. */
export type Verdict = (typeof verdicts)[number];

/** What somebody was asked for, or has said, of a merge request as a whole. */
export interface MergeReview {
  readonly id: string;
  readonly requestId: string;
  readonly userId: string;
  readonly state: ReviewState;
  /** Markdown, with HTML escaped; '' where nothing was said. */
  readonly body: string;
  /** The head that was reviewed; null while pending. */
  readonly commitOid: string | null;
  /** Null where nobody asked for it. */
  readonly requestedAt: Date | null;
  /** Null while pending. */
  readonly submittedAt: Date | null;
}
