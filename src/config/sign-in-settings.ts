import { z } from "zod"
import { address, secret, text } from "./scalars.ts"

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

/** How people sign in to the console. */
export interface SignInSettings {
  readonly oidc: readonly OidcSettings[]
  /** Origins besides its own from which the console may be used. */
  readonly trustedOrigins: readonly string[]
}

const OIDC_ID = /^[a-z0-9][a-z0-9-]{0,39}$/

/** How the fields of an issuer are parsed. */
export const oidcScalars = {
  id: z
    .string("must be text")
    .regex(OIDC_ID, "must be small letters, digits and hyphens, such as company"),
  name: text().optional(),
  issuer: address(),
  client_id: text(),
  client_secret: secret().optional(),
  second_factor: z.enum(SECOND_FACTOR_RULES, "must be required or issuer").optional(),
  link_users: z.enum(LINK_RULES, "must be confirmed or verified_email").optional(),
}

interface FileConsole {
  readonly oidc?:
    | readonly {
        readonly id: string
        readonly name?: string | undefined
        readonly issuer: string
        readonly client_id: string
        readonly client_secret?: string | undefined
        readonly scopes?: readonly string[] | undefined
        readonly second_factor?: SecondFactorRule | undefined
        readonly link_users?: LinkRule | undefined
      }[]
    | undefined
  readonly trusted_origins?: readonly string[] | undefined
}

/** The parsed section of the file; undefined without one. */
export function signInSettings(
  section: FileConsole | null | undefined,
): SignInSettings | undefined {
  if (!section) return undefined
  return {
    oidc: (section.oidc ?? []).map((entry) => ({
      id: entry.id,
      name: entry.name ?? entry.id,
      issuer: entry.issuer,
      clientId: entry.client_id,
      ...(entry.client_secret === undefined ? {} : { clientSecret: entry.client_secret }),
      scopes: entry.scopes ?? ["openid", "email", "profile"],
      secondFactor: entry.second_factor ?? "required",
      linkUsers: entry.link_users ?? "confirmed",
    })),
    trustedOrigins: (section.trusted_origins ?? []).map((origin) => new URL(origin).origin),
  }
}
