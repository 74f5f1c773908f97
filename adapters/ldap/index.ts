// The LDAP adapter: a password directory on an LDAP server, such as OpenLDAP or Active Directory.
export { ldapDirectory, type LdapDirectory } from './directory/directory.ts';
export { Misconfigured, type Options } from './options.ts';
