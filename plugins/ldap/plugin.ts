// The plugin "ldap": users sign in with their password in an LDAP directory, such as OpenLDAP or Active Directory.
import { count, definePlugin, flag, Joi, maybe, shape } from 'hexforge/plugin';
import { ldapDirectory } from '#adapters/ldap/index';

const dn = () => Joi.string().max(1024);
const attribute = () =>
  Joi.string()
    .max(128)
    .pattern(/^[A-Za-z][A-Za-z0-9-]*$/)
    .insensitive()
    .invalid('dn');

export default definePlugin({
  name: 'ldap',
  version: '0.1.0',
  api: '^0.2.0',
  config: shape({
    url: Joi.string().max(512).description('Address of the directory: ldap://host[:port] or ldaps://host[:port]'),
    starttls: flag().default(false).description('Encrypt connections to an ldap:// address by StartTLS'),
    ca_file: maybe(Joi.string().description('File of the certificates (PEM) to trust; absent: those that Node trusts')),
    allow_cleartext: flag()
      .default(false)
      .description('Allow passwords to be sent to another machine without encryption'),
    bind_dn: maybe(dn().description('DN of the service account that searches; absent: anonymous')),
    bind_password: maybe(Joi.string().max(1024).meta({ secret: true }).description('Password of the service account')),
    base_dn: dn().description('DN of the entry below which users are searched, such as ou=people,dc=example,dc=org'),
    user_filter: Joi.string()
      .max(1024)
      .default('(uid={username})')
      .description('Filter that finds a user; {username} is replaced by what was typed'),
    attribute_username: attribute().default('uid').description('Attribute with the username'),
    attribute_email: attribute().default('mail').description('Attribute with the e-mail address'),
    attribute_display_name: attribute().default('cn').description('Attribute with the display name'),
    admin_group: maybe(dn().description('DN of the group of administrators; absent: not decided by the directory')),
    timeout_seconds: count().min(1).max(60).default(5).description('Seconds after which a check fails'),
    connections: count().min(1).max(200).default(20).description('The most checks at a time'),
    queue: count().min(0).max(10_000).default(1000).description('The most checks that are queued'),
  }),
  environment: {
    LDAP_URL: 'url',
    LDAP_STARTTLS: 'starttls',
    LDAP_CA_FILE: 'ca_file',
    LDAP_BIND_DN: 'bind_dn',
    LDAP_BIND_PASSWORD: 'bind_password',
    LDAP_BASE_DN: 'base_dn',
    LDAP_USER_FILTER: 'user_filter',
    LDAP_ATTRIBUTE_USERNAME: 'attribute_username',
    LDAP_ATTRIBUTE_EMAIL: 'attribute_email',
    LDAP_ATTRIBUTE_DISPLAY_NAME: 'attribute_display_name',
    LDAP_ADMIN_GROUP: 'admin_group',
    LDAP_TIMEOUT_SECONDS: 'timeout_seconds',
  },
  build: ({ config, log }) =>
    ldapDirectory({
      url: config.url,
      startTls: config.starttls,
      caFile: config.ca_file,
      allowCleartext: config.allow_cleartext,
      bindDn: config.bind_dn,
      bindPassword: config.bind_password,
      baseDn: config.base_dn,
      userFilter: config.user_filter,
      attributes: {
        username: config.attribute_username,
        email: config.attribute_email,
        displayName: config.attribute_display_name,
      },
      adminGroup: config.admin_group,
      timeoutSeconds: config.timeout_seconds,
      connections: config.connections,
      queue: config.queue,
      log,
    }),
  provides: { PasswordDirectory: ({ directory }) => directory },
  probes: ({ complaint }) => [{ name: 'ldap', check: async () => complaint() }],
  start: async ({ open }) => open(),
  stop: async ({ close }) => close(),
});
