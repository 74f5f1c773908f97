// Permissions of this area. The area repositories assigns them to roles. Its table is complete even if this area is
// disabled.
declare module '#core/kernel/access/access' {
  interface Permissions {
    'merge.open': 'repository';
    'merge.update': 'repository';
    'merge.merge': 'repository';
  }
}

export {};
