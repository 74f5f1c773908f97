// A review of a merge request, pending or submitted. Each user has at most one per request.

/** `pending` until the requested reviewer submits a review. */
export const reviewStates = ['pending', 'approved', 'changes_requested'] as const;
/** The state of a review. */
export type ReviewState = (typeof reviewStates)[number];

/** The results of a submitted review. */
export const verdicts = ['approved', 'changes_requested'] as const;
/** The result of a submitted review. */
export type Verdict = (typeof verdicts)[number];

/** A review of a merge request as a whole, pending or submitted. */
export interface MergeReview {
  readonly id: string;
  readonly requestId: string;
  readonly userId: string;
  readonly state: ReviewState;
  /** Markdown, with HTML escaped. Empty if the review has no text. */
  readonly body: string;
  /** The head that was reviewed. Null while pending. */
  readonly commitOid: string | null;
  /** Null if the review was submitted without a request. */
  readonly requestedAt: Date | null;
  /** Null while pending. */
  readonly submittedAt: Date | null;
  /**
   * Whether a pending review replaced requested changes. Then only holders of merge.update may withdraw it. Otherwise
   * false.
   */
  readonly objected: boolean;
}

/** The members of a review that is not submitted. */
export const unanswered = {
  state: 'pending',
  body: '',
  commitOid: null,
  submittedAt: null,
  objected: false,
} as const satisfies Partial<MergeReview>;
