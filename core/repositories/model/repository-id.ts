// The form of the ids of repositories.
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the text can be the id of a repository. */
export const isRepositoryId = (text: string): boolean => uuid.test(text);
