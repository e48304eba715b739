import { z } from "zod"
import { type Secret, section, setting } from "../declare.ts"
import { address, secret, text } from "../scalars.ts"
import { presence } from "../secret-forms.ts"
import { list, present, strict } from "../shapes.ts"

/** An OpenID Connect issuer that people sign in with. */
export interface OidcSettings {
  /** Part of the callback address: `/admin/v1/auth/callback/<id>`. */
  readonly id: string
  /** As the sign-in page shows it. */
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  /** Absent for a public client. Never printed. */
  readonly clientSecret?: string
  readonly scopes: readonly string[]
  /** Whether people who have a second factor here are asked for it, or the issuer answers for that. */
  readonly secondFactor: SecondFactorRule
  /** Whether an existing user is linked once they confirm it by signing in, or by the address that the issuer has verified. */
  readonly linkUsers: LinkRule
}

const SECOND_FACTOR_RULES = ["required", "issuer"] as const
type SecondFactorRule = (typeof SECOND_FACTOR_RULES)[number]
const LINK_RULES = ["confirmed", "verified_email"] as const
type LinkRule = (typeof LINK_RULES)[number]

const OIDC_ID = /^[a-z0-9][a-z0-9-]{0,39}$/

const issuer = strict({
  id: z
    .string("must be text")
    .regex(OIDC_ID, "must be small letters, digits and hyphens, such as company"),
  name: text().optional(),
  issuer: address(),
  client_id: text(),
  client_secret: secret().optional(),
  second_factor: z.enum(SECOND_FACTOR_RULES, "must be required or issuer").optional(),
  link_users: z.enum(LINK_RULES, "must be confirmed or verified_email").optional(),
  scopes: list(text()).optional(),
}).transform((file): OidcSettings =>
  present({
    id: file.id,
    name: file.name ?? file.id,
    issuer: file.issuer,
    clientId: file.client_id,
    clientSecret: file.client_secret,
    scopes: file.scopes ?? ["openid", "email", "profile"],
    secondFactor: file.second_factor ?? "required",
    linkUsers: file.link_users ?? "confirmed",
  }),
)

const ISSUER_SECRET: Secret<readonly OidcSettings[]> = {
  textsOf: (issuers) => issuers.flatMap(({ clientSecret }) => clientSecret ?? []),
  describe: (issuers) =>
    issuers?.map((entry) => ({ ...entry, clientSecret: presence(entry.clientSecret) })),
}

/** How people sign in to the console; undefined without the section. */
export const SIGN_IN = section(
  "console",
  {
    oidc: setting(
      list(issuer).refine(haveOwnIds, "has two entries with the same id. Rename one of them"),
      {
        secret: ISSUER_SECRET,
        documentation:
          "OpenID Connect issuers for sign-in: a list of `{ id, name, issuer, client_id, client_secret, second_factor, link_users }`. `second_factor` is `required` (default: people with a second factor are asked for it) or `issuer` (the issuer answers for that). `link_users` is `confirmed` (default: an existing user is linked after signing in as before) or `verified_email` (linked by the address alone, which deletes the user's password, passkeys and sessions). The redirect address is `<address>/admin/v1/auth/callback/<id>`. Only users and invited people get in, by the e-mail address that the issuer has verified",
      },
    ),
    trustedOrigins: setting(list(address()), {
      documentation: "other origins from which the console is used",
    }),
  },
  {
    build: ({ oidc = [], trustedOrigins = [] }, { isPresent }) =>
      isPresent
        ? { oidc, trustedOrigins: trustedOrigins.map((origin) => new URL(origin).origin) }
        : undefined,
  },
)

function haveOwnIds(entries: readonly { readonly id: string }[]): boolean {
  return new Set(entries.map(({ id }) => id)).size === entries.length
}
