// Permissions of this area. The role table of the area repositories says who holds them, and the scope catalogue of
// the area identity has their rows: both are whole whichever areas are there.

declare module '#core/kernel/access' {
  interface Permissions {
    'issue.read': 'repository';
    'issue.write': 'repository';
  }
}

export {};
