// The published view `identity_public_user`, which other areas may join.

/** Its fixed columns. They contain no secrets and no addresses. */
export interface PublicUserRow {
  readonly id: string;
  readonly username: string;
  /** The lower-case username, for case-insensitive look-ups. */
  readonly username_key: string;
  readonly display_name: string;
  readonly avatar_url: string;
}

/** The published views of this area, for the `DB` of `kysely<DB>()`. */
export interface IdentityViews {
  identity_public_user: PublicUserRow;
}
