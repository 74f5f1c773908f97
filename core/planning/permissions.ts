// Permissions of this area, as routes name them; the role table of the repositories has them with the roles (document
// D, "Repositories").
declare module '#core/kernel/access' {
  interface Permissions {
    'issue.read': 'repository';
    'label.create': 'repository';
    'milestone.write': 'repository';
  }
}

export {};
