import { readFileSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { z } from "zod"
import { Fault } from "./reading.ts"

/** The key of a Google service account. Never printed. */
export interface ServiceAccount {
  readonly clientEmail: string
  /** A PKCS #8 key in PEM format. */
  readonly privateKey: string
  readonly privateKeyId?: string
  /** The address that exchanges a signed claim for a token. */
  readonly tokenUri: string
  readonly projectId?: string
}

/** A user's own credential, as stored by `gcloud auth application-default login`. Never printed. */
export interface AuthorizedUser {
  readonly clientId: string
  readonly clientSecret: string
  readonly refreshToken: string
  readonly tokenUri: string
  readonly projectId?: string
}

/**
 * A configuration of Google's workload identity federation, which exchanges another issuer's token for a Google token.
 */
export interface ExternalAccount {
  readonly audience: string
  readonly subjectTokenType: string
  readonly tokenUri: string
  /** If absent, the federated token is used directly. */
  readonly impersonationUrl?: string
  /**
   * The source of the other issuer's token. If `field` is set, the source is a JSON document with the token in this
   * field.
   */
  readonly source: { readonly field?: string } & (
    | { readonly file: string }
    | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  )
  readonly projectId?: string
}

export type GoogleCredentials = ServiceAccount | AuthorizedUser | ExternalAccount

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"])
/** Hosts of metadata services. An issuer's token may come from them without TLS. */
const METADATA_HOSTS = new Set([...LOOPBACK, "169.254.169.254", "metadata.google.internal"])

/** Requires TLS, because others could read and use the credential in transit. */
const secureAddress = () => z.string().refine((text) => isSecure(text, LOOPBACK))
const sourceAddress = () => z.string().refine((text) => isSecure(text, METADATA_HOSTS))
const tokenAddress = () => secureAddress().default("https://oauth2.googleapis.com/token")

const serviceAccountSchema = () =>
  z
    .object({
      client_email: z.string().min(1),
      private_key: z.string().startsWith("-----BEGIN PRIVATE KEY-----"),
      private_key_id: z.string().optional(),
      project_id: z.string().optional(),
      token_uri: tokenAddress(),
    })
    .transform((data) => ({
      clientEmail: data.client_email,
      privateKey: data.private_key,
      tokenUri: data.token_uri,
      ...(data.private_key_id === undefined ? {} : { privateKeyId: data.private_key_id }),
      ...(data.project_id === undefined ? {} : { projectId: data.project_id }),
    }))

const userSchema = () =>
  z
    .object({
      client_id: z.string().min(1),
      client_secret: z.string().min(1),
      refresh_token: z.string().min(1),
      token_uri: tokenAddress(),
      quota_project_id: z.string().optional(),
    })
    .transform((data) => ({
      clientId: data.client_id,
      clientSecret: data.client_secret,
      refreshToken: data.refresh_token,
      tokenUri: data.token_uri,
      ...(data.quota_project_id === undefined ? {} : { projectId: data.quota_project_id }),
    }))

const format = () =>
  z
    .object({ type: z.enum(["text", "json"]), subject_token_field_name: z.string().optional() })
    .transform(({ type, subject_token_field_name: field = "access_token" }) =>
      type === "json" ? { field } : {},
    )
    .default({})
const source = () =>
  z.union([
    z
      .object({ file: z.string().min(1), format: format() })
      .transform(({ file, format: shape }) => ({ file, ...shape })),
    z
      .object({
        url: sourceAddress(),
        headers: z.record(z.string(), z.string()).default({}),
        format: format(),
        // Amazon's environments use signed requests instead of tokens. They are not supported.
        environment_id: z.undefined().optional(),
      })
      .transform(({ url, headers, format: shape }) => ({ url, headers, ...shape })),
  ])
const externalSchema = () =>
  z
    .object({
      audience: z.string().min(1),
      subject_token_type: z.string().min(1),
      token_url: secureAddress(),
      service_account_impersonation_url: secureAddress().optional(),
      credential_source: source(),
    })
    .transform((data) => ({
      audience: data.audience,
      subjectTokenType: data.subject_token_type,
      tokenUri: data.token_url,
      source: data.credential_source,
      ...(data.service_account_impersonation_url === undefined
        ? {}
        : { impersonationUrl: data.service_account_impersonation_url }),
    }))

/**
 * Functions that create the schemas of the documents that Google's tools write, by `type`. Most gateways need none of
 * these schemas.
 */
const SCHEMAS: ReadonlyMap<unknown, () => z.ZodType<GoogleCredentials>> = new Map<
  unknown,
  () => z.ZodType<GoogleCredentials>
>([
  ["service_account", serviceAccountSchema],
  ["authorized_user", userSchema],
  ["external_account", externalSchema],
])

/**
 * Reads Google credentials.
 * @param text the credentials as JSON, or the path of a file with them.
 * @param directory the folder that relative paths start from.
 */
export function readGoogleCredentials(text: string, directory: string): GoogleCredentials | Fault {
  const json = text.trimStart().startsWith("{") ? text : readCredentialFile(text.trim(), directory)
  if (json instanceof Fault) return json
  const document = z.record(z.string(), z.unknown()).safeParse(parseJson(json)).data
  if (document === undefined) return new Fault("must be Google credentials, as JSON")
  const schemaOf = SCHEMAS.get(document["type"])
  if (schemaOf === undefined) {
    const types = [...SCHEMAS.keys()].join(", ")
    return new Fault(`must be Google credentials whose 'type' is one of ${types}`)
  }
  const { data, error } = schemaOf().safeParse(document)
  return data ?? new Fault(fault(error?.issues ?? []))
}

function readCredentialFile(path: string, directory: string): string | Fault {
  try {
    return readFileSync(isAbsolute(path) ? path : join(directory, path), "utf8")
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : ""
    return new Fault(
      `cannot be read${code}. Give Google credentials: their JSON, or the path of their file`,
    )
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Describes the problem. Names the invalid member without quoting values. */
function fault(issues: readonly z.core.$ZodIssue[]): string {
  const member = issues[0]?.path.join(".") ?? ""
  if (/_(uri|url)$|\.url$/.test(member)) return `must have a ${member} that starts with https://`
  return `must be complete Google credentials: '${member}' is missing or not supported`
}

function isSecure(address: string, plainHosts: ReadonlySet<string>): boolean {
  const url = URL.parse(address)
  if (url?.protocol === "https:") return true
  return url?.protocol === "http:" && plainHosts.has(url.hostname)
}
