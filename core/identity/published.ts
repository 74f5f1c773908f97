// The published rows of this area: the view `identity_public_user`, which other areas may join.

/** Fixed columns; secrets and addresses are not among them. */
export interface PublicUserRow {
  readonly id: string;
  readonly username: string;
  /** Lower case, for look-ups: names are compared case-insensitively. */
  readonly username_key: string;
  readonly display_name: string;
  readonly avatar_url: string;
}

/** The published views of this area, for the `DB` of `kysely<DB>()`. */
export interface IdentityViews {
  identity_public_user: PublicUserRow;
}
