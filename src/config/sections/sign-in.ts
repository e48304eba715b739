import { type Secret, section, setting } from "../declare.ts"
import { address } from "../addresses.ts"
import type { Output } from "../reading.ts"
import { oneOf, secret, text } from "../scalars.ts"
import { presence } from "../secret-forms.ts"
import { entry, list, name } from "../shapes.ts"

const OIDC_ID = /^[a-z0-9][a-z0-9-]{0,39}$/

/** An OpenID Connect issuer for signing in. */
const issuer = entry({
  /** The last part of the callback address `/admin/v1/auth/callback/<id>`. */
  id: name(OIDC_ID, "must be lowercase letters, digits and hyphens, such as company"),
  /** The name shown on the sign-in page. */
  name: text().optional(),
  issuer: address(),
  clientId: text(),
  /** The client's secret; absent for a public client. Never printed. */
  clientSecret: secret().optional(),
  /** Whether users with a second factor must use it, or whether the issuer alone decides. */
  secondFactor: oneOf(["required", "issuer"], "rule").orElse("required"),
  /**
   * How existing users are linked to the issuer: after they sign in to confirm the link, or by an email address that
   * the issuer has verified.
   */
  linkUsers: oneOf(["confirmed", "verified_email"], "rule").orElse("confirmed"),
  scopes: list(text()).orElse(["openid", "email", "profile"]),
}).transform((own) => ({ ...own, name: own.name ?? own.id }))

export type OidcSettings = Output<typeof issuer>

const ISSUER_SECRET: Secret<readonly OidcSettings[]> = {
  textsOf: (issuers) => issuers.flatMap(({ clientSecret }) => clientSecret ?? []),
  describe: (issuers) =>
    issuers?.map((one) => ({ ...one, clientSecret: presence(one.clientSecret) })),
}

/** The people who see multipliers, providers and deployments. */
const costAudience = oneOf(["everyone", "operators"], "audience")

/** Settings of the console; undefined if the section is absent. */
export const SIGN_IN = section(
  "console",
  {
    oidc: setting(
      list(issuer).refine(haveOwnIds, "has two entries with the same id. Rename one of them"),
      {
        secret: ISSUER_SECRET,
        console: {
          label: "Single sign-on",
          help: "OpenID Connect issuers, with which people sign in to the console.",
          isList: true,
        },
        documentation:
          "OpenID Connect issuers for sign-in: a list of `{ id, name, issuer, client_id, client_secret, second_factor, link_users }`. `second_factor` is `required` (default: people with a second factor are asked for it) or `issuer` (the issuer is responsible for it). `link_users` is `confirmed` (default: an existing user is linked after signing in as before) or `verified_email` (linked by the address alone, which deletes the user's password, passkeys and sessions). The redirect URI is `<address>/admin/v1/auth/callback/<id>`. Only users and invited people can sign in, with the email address that the issuer has verified",
      },
    ),
    trustedOrigins: setting(list(address()), {
      documentation: "other origins from which the console is used",
    }),
    showCostsTo: setting(costAudience, {
      otherwise: "`everyone`; with `stripe`: `operators`",
      documentation:
        "who sees multipliers, providers and deployments: `everyone`, or `operators`. With `operators`, members of accounts and callers see [only their own prices](../run/accounts.md#hide-your-costs-from-customers)",
    }),
  },
  {
    build: ({ oidc = [], trustedOrigins = [], showCostsTo }, { isPresent }) =>
      isPresent
        ? {
            oidc,
            trustedOrigins: trustedOrigins.map((origin) => new URL(origin).origin),
            ...(showCostsTo && { showCostsTo }),
          }
        : undefined,
  },
)

/**
 * Whether only operators see multipliers, providers and deployments. By default, a gateway that sells credits hides
 * them from its customers.
 */
export function hidesCostsIn(settings: {
  readonly console?: { readonly showCostsTo?: Output<typeof costAudience> } | undefined
  readonly stripe?: object | undefined
}): boolean {
  const audience = settings.console?.showCostsTo ?? (settings.stripe ? "operators" : "everyone")
  return audience === "operators"
}

function haveOwnIds(entries: readonly { readonly id: string }[]): boolean {
  return new Set(entries.map(({ id }) => id)).size === entries.length
}
