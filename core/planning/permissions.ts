// Permissions that the routes of this area require. The role table of the area repositories assigns them to roles.
declare module '#core/kernel/access/access' {
  interface Permissions {
    'issue.read': 'repository';
    'label.create': 'repository';
    'milestone.write': 'repository';
  }
}

export {};
