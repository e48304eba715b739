import { createHmac, timingSafeEqual } from "node:crypto"
import * as z from "zod"
import { SECRET_NAMES } from "../../secrets/installation-secrets.ts"
import { VERSION } from "../../runtime.ts"

/** The file that is written last. A backup without it is incomplete. */
export const MANIFEST = "manifest.json"
/** The settings file of the installation. */
export const SETTINGS = "settings.yaml"
/** The secret that signs the manifest. */
export const KEY_PEPPER = "secrets/key-pepper"

const LEDGER = "tollgate.db"
const OWN_FILES = [LEDGER, "console.db", "contents.db", "conversations.db", "anchor.json"]
/**
 * Matches the only paths that may be restored in addition to the fixed paths. The check is necessary because a manifest
 * determines where files are written.
 */
const KEPT_FILE = /^(responses|images)\/[A-Za-z0-9][A-Za-z0-9._-]*$/
const ALLOWED: ReadonlySet<string> = new Set([
  ...OWN_FILES,
  SETTINGS,
  ...SECRET_NAMES.map((name) => `secrets/${name}`),
])

/** Whether a backup may contain a file with this path. */
export function isBackedUp(path: string): boolean {
  return ALLOWED.has(path) || KEPT_FILE.test(path)
}

const backedUpFile = z.object({
  path: z.string().refine(isBackedUp),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

const manifestSchema = z.object({
  format: z.literal(1),
  /** The version of Tollgate that wrote the backup. */
  version: z.string(),
  /** Distinguishes backups of several installations. */
  installation: z.string().regex(/^[0-9a-f]{12}$/),
  made_at: z.iso.datetime(),
  has_secrets: z.boolean(),
  files: z
    .array(backedUpFile)
    .refine((files) => files.some(({ path }) => path === LEDGER))
    .refine((files) => new Set(files.map(({ path }) => path)).size === files.length),
})

const manifestFile = z.object({ manifest: manifestSchema, signature: z.string() })

/** The contents of a backup. */
export type Manifest = z.infer<typeof manifestSchema>
export type BackedUpFile = z.infer<typeof backedUpFile>

/** A manifest with its signature. */
export interface ReadManifest {
  readonly manifest: Manifest
  readonly signature: string
}

/** Derives an installation's id from its secret. The id does not reveal the secret. */
export function installationOf(secret: string): string {
  return keyed(secret, "tollgate installation").slice(0, 12)
}

/** Formats a manifest with its signature. */
export function manifestText(facts: Omit<Manifest, "format" | "version">, secret: string): string {
  const manifest: Manifest = { format: 1, version: VERSION, ...facts }
  return `${JSON.stringify({ manifest, signature: signatureOf(manifest, secret) }, undefined, 1)}\n`
}

/**
 * Parses a manifest.
 * @returns undefined if this version cannot read the text.
 */
export function readManifest(text: string): ReadManifest | undefined {
  try {
    return manifestFile.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Whether a manifest was written by the installation that has the secret. */
export function isGenuine({ manifest, signature }: ReadManifest, secret: string): boolean {
  const expected = signatureOf(manifest, secret)
  return (
    signature.length === expected.length &&
    timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
  )
}

function signatureOf(manifest: Manifest, secret: string): string {
  return keyed(secret, `tollgate backup\n${JSON.stringify(manifestSchema.parse(manifest))}`)
}

function keyed(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex")
}
