// Permissions of this area. The role table of the area repositories says who holds them: it is whole whichever areas
// are there.
declare module '#core/kernel/access' {
  interface Permissions {
    'merge.open': 'repository';
    'merge.update': 'repository';
    'merge.merge': 'repository';
  }
}

export {};
