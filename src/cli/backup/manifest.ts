import { createHmac, timingSafeEqual } from "node:crypto"
import * as z from "zod"
import { SECRET_NAMES } from "../../secrets/installation-secrets.ts"
import { VERSION } from "../../runtime.ts"

/** It is written last: a backup without one is not finished. */
export const MANIFEST = "manifest.json"
/** The settings file of the installation. */
export const SETTINGS = "settings.yaml"

const LEDGER = "tollgate.db"
const OWN_FILES = [LEDGER, "console.db", "contents.db", "conversations.db", "anchor.json"]
/** A manifest says where files are written on the machine that restores them. */
const KEPT_FILE = /^(answers|pictures)\/[A-Za-z0-9][A-Za-z0-9._-]*$/
const ALLOWED: ReadonlySet<string> = new Set([
  ...OWN_FILES,
  SETTINGS,
  ...SECRET_NAMES.map((name) => `secrets/${name}`),
])

/** Whether a backup may have a file of this path. */
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
  /** The version of Tollgate that has written it. */
  version: z.string(),
  /** Tells the backups of several installations apart. */
  installation: z.string().regex(/^[0-9a-f]{12}$/),
  made_at: z.iso.datetime(),
  has_secrets: z.boolean(),
  files: z.array(backedUpFile).refine((files) => files.some(({ path }) => path === LEDGER)),
})

const manifestFile = z.object({ manifest: manifestSchema, signature: z.string() })

/** What a backup has. */
export type Manifest = z.infer<typeof manifestSchema>
export type BackedUpFile = z.infer<typeof backedUpFile>

/** A manifest, with the signature of who wrote it. */
export interface ReadManifest {
  readonly manifest: Manifest
  readonly signature: string
}

/** Names an installation by its secret, which cannot be told from it. */
export function installationOf(secret: string): string {
  return keyed(secret, "tollgate installation").slice(0, 12)
}

/** The text of a manifest's file. */
export function manifestText(facts: Omit<Manifest, "format" | "version">, secret: string): string {
  const manifest: Manifest = { format: 1, version: VERSION, ...facts }
  return `${JSON.stringify({ manifest, signature: signatureOf(manifest, secret) }, undefined, 1)}\n`
}

/** @returns undefined where the text is no manifest that this version can read. */
export function readManifest(text: string): ReadManifest | undefined {
  try {
    return manifestFile.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Whether the installation with a secret has written it. */
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
