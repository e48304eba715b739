import { randomUUID } from "node:crypto"
import { betterAuth, type BetterAuthOptions } from "better-auth"
import { APIError } from "better-auth/api"
import { genericOAuth } from "better-auth/plugins/generic-oauth"
import { twoFactor } from "better-auth/plugins/two-factor"
import type { OidcSettings } from "../config/sign-in-settings.ts"
import type { ConsoleDatabase } from "../store/console-database.ts"
import { ADDRESS_HEADER, COOKIE_PREFIX } from "./cookies.ts"
import { discoveryUrlOf } from "./issuer.ts"
import type { Passwords } from "./passwords.ts"

/** Where better-auth's own endpoints are. Requests to it are made by us, so this is no one's address. */
export const AUTH_PATH = "/admin/v1/auth"
export const SHORTEST_PASSWORD = 10
export const LONGEST_PASSWORD = 200

const DAY = 24 * 60 * 60
/** Seconds. A session that is used lives on. */
const SESSION_TIME = 7 * DAY
const SESSION_RENEWAL = 60 * 60
const RESET_TIME = DAY

export interface AuthServerParts {
  readonly database: ConsoleDatabase
  readonly secret: string
  readonly passwords: Passwords
  /** The origin that links and redirects lead to. */
  readonly origin: string
  readonly isDisabled: (userId: string) => boolean
  readonly isInvited: (email: string) => Promise<boolean>
  /** Someone else who says who people are. */
  readonly issuer?: OidcSettings
  readonly onFailure: (message: string) => void
}

/** better-auth, as far as the console needs it. */
export type AuthServer = ReturnType<typeof createAuthServer>

export function createAuthServer(parts: AuthServerParts) {
  return betterAuth(authOptions(parts))
}

/** All that better-auth is told; also what its migration tool compares our tables with. */
export function authOptions(parts: AuthServerParts): BetterAuthOptions {
  return {
    appName: "Tollgate",
    baseURL: parts.origin + AUTH_PATH,
    basePath: AUTH_PATH,
    secrets: [{ version: 1, value: parts.secret }],
    database: parts.database,
    telemetry: { enabled: false },
    // Attempts are counted by us, for all processes together.
    rateLimit: { enabled: false },
    logger: { level: "error", disableColors: true, log: logTo(parts.onFailure) },
    user: {
      additionalFields: {
        isOperator: { type: "boolean", required: true, defaultValue: false, input: false },
        isDisabled: { type: "boolean", required: true, defaultValue: false, input: false },
        lastSeenAt: { type: "date", required: false, input: false },
      },
      validateUserInfo: ({ user, source }) => refusalOf(parts, user, source.action),
    },
    emailAndPassword: {
      enabled: true,
      // Users come by an invitation.
      disableSignUp: true,
      minPasswordLength: SHORTEST_PASSWORD,
      maxPasswordLength: LONGEST_PASSWORD,
      resetPasswordTokenExpiresIn: RESET_TIME,
      revokeSessionsOnPasswordReset: true,
      password: {
        hash: (password) => parts.passwords.hash(password),
        verify: ({ password, hash }) => parts.passwords.verify(password, hash),
      },
    },
    // No copy of the session in a cookie: it would outlive its end.
    session: {
      expiresIn: SESSION_TIME,
      updateAge: SESSION_RENEWAL,
      cookieCache: { enabled: false },
    },
    account: {
      updateAccountOnSignIn: false,
      accountLinking: { enabled: true, trustedProviders: [], allowDifferentEmails: false },
    },
    verification: { storeIdentifier: "hashed" },
    databaseHooks: hooksOf(parts),
    plugins: [twoFactor({ issuer: "Tollgate" }), ...issuerPlugins(parts.issuer)],
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      // Set by us, by the connection that the answer goes out on.
      useSecureCookies: false,
      disableCSRFCheck: false,
      disableOriginCheck: false,
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: {
        validateSchema: false,
        generateId: ({ model }) => `${model}_${randomUUID().replaceAll("-", "")}`,
      },
    },
  }
}

/** Someone who comes from an issuer: known, or invited, and with an address that the issuer vouches for. */
async function refusalOf(
  parts: AuthServerParts,
  user: { readonly email?: string | undefined; readonly emailVerified?: boolean | undefined },
  action: string,
): Promise<{ error: string } | undefined> {
  if (action === "sign-in") return undefined
  if (user.emailVerified !== true) return { error: "email_not_verified" }
  if (action !== "create-user") return undefined
  const isInvited = await parts.isInvited((user.email ?? "").toLowerCase())
  return isInvited ? undefined : { error: "not_invited" }
}

function hooksOf(parts: AuthServerParts): NonNullable<BetterAuthOptions["databaseHooks"]> {
  return {
    session: {
      create: {
        async before(session) {
          if (!parts.isDisabled(session.userId)) return
          throw new APIError("FORBIDDEN", { code: "disabled", message: "this user is disabled" })
        },
      },
    },
    account: {
      create: {
        // The issuer is asked once who someone is; what else its tokens open is none of our business.
        async before() {
          return { data: { accessToken: null, refreshToken: null, idToken: null } }
        },
      },
    },
  }
}

function issuerPlugins(issuer: OidcSettings | undefined) {
  if (issuer === undefined) return []
  const { id, name, clientId, clientSecret, scopes } = issuer
  return [
    genericOAuth({
      config: [
        {
          providerId: id,
          name,
          discoveryUrl: discoveryUrlOf(issuer.issuer),
          clientId,
          ...(clientSecret === undefined ? {} : { clientSecret }),
          scopes: [...scopes],
          pkce: true,
          requireIdTokenVerification: true,
        },
      ],
    }),
  ]
}

function logTo(onFailure: (message: string) => void) {
  return (_level: string, message: string, ...details: unknown[]): void => {
    const reasons = details.flatMap((detail) => (detail instanceof Error ? [detail.message] : []))
    onFailure([message, ...reasons].join(": "))
  }
}
