// Permissions of this area. The area repositories assigns them to roles, and the area identity has their rows in the
// scope catalogue. Both tables are complete even if this area is disabled.

declare module '#core/kernel/access/access' {
  interface Permissions {
    'issue.read': 'repository';
    'issue.write': 'repository';
  }
}

export {};
