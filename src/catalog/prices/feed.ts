import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto"
import { z } from "zod"
import type { Facts } from "../facts.ts"
import { parseFacts } from "./facts-schema.ts"
import { FeedError } from "./feed-error.ts"

/** Prefix of the signed bytes, so that other texts signed with the same key are not accepted as price lists. */
const FORMAT = "tollgate-prices/1"
/** Maximum clock difference between signer and reader. */
const CLOCK_TOLERANCE_MS = 24 * 60 * 60 * 1_000
/** DER prefix of an Ed25519 public key of 32 bytes. */
const DER_HEAD = Buffer.from("302a300506032b6570032100", "hex")

const feedSchema = z.object({
  format: z.literal(FORMAT),
  key: z.string(),
  signature: z.base64(),
  /** JSON text. The signature covers exactly these bytes. */
  content: z.string(),
})

/**
 * Reads a signed price list.
 * @param keys accepted public keys, in base64.
 * @throws FeedError if the list is damaged, signed with an unknown key, or dated in the future.
 */
export function readFeed(text: string, keys: readonly string[], now = Date.now()): Facts {
  const feed = envelopeOf(text)
  const known = keys.find((key) => keyId(key) === feed.key)
  if (known === undefined) {
    throw new FeedError(
      `it is signed with the key '${feed.key.slice(0, 40)}', which is not trusted here. Trusted keys: ${keys.map(keyId).join(", ")}. Add your own key to prices.keys`,
    )
  }
  const signature = Buffer.from(feed.signature, "base64")
  if (!verify(null, signedBytes(feed.content), publicKey(known), signature)) {
    throw new FeedError("its signature is wrong: it was changed after it was signed, or is damaged")
  }
  const facts = parseFacts(feed.content)
  if ("fault" in facts) throw new FeedError(`it is signed, and cannot be used: ${facts.fault}`)
  if (Date.parse(facts.date ?? "") > now + CLOCK_TOLERANCE_MS) {
    throw new FeedError(
      `it is dated ${facts.date}, which is in the future. Check the clock of this machine`,
    )
  }
  return facts
}

/** Signs a price list. @param content the text of facts.json. */
export function writeFeed(content: string, key: KeyObject): string {
  const signature = sign(null, signedBytes(content), key).toString("base64")
  const id = keyId(publicText(key))
  return `${JSON.stringify({ format: FORMAT, key: id, signature, content })}\n`
}

/** Returns the public key of a private key, in the format of the settings. */
export function publicText(key: KeyObject): string {
  const der = createPublicKey(key).export({ type: "spki", format: "der" })
  return der.subarray(DER_HEAD.length).toString("base64")
}

/** Returns the id of a key: the first characters of its hash. */
export function keyId(key: string): string {
  return createHash("sha256").update(Buffer.from(key, "base64")).digest("hex").slice(0, 16)
}

function envelopeOf(text: string): z.infer<typeof feedSchema> {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw new FeedError("it is not a price list: not JSON")
  }
  const parsed = feedSchema.safeParse(document)
  if (!parsed.success) throw new FeedError(`it is not a price list of the format ${FORMAT}`)
  return parsed.data
}

function signedBytes(content: string): Buffer {
  return Buffer.from(`${FORMAT}\n${content}`)
}

function publicKey(text: string): KeyObject {
  const der = Buffer.concat([DER_HEAD, Buffer.from(text, "base64")])
  return createPublicKey({ key: der, type: "spki", format: "der" })
}

/**
 * The public keys of the project's price lists, Ed25519 in base64. The second key is a spare for replacing the first:
 * installations already accept lists that are signed with it. The private keys are kept outside of the repository.
 */
export const PROJECT_KEYS: readonly string[] = [
  "1qeCJ6VQsc3i6eGleOY/PxnMIK5P1iJbLN2M8efZ0zA=",
  "zqQUT9O53jUe20/Cjg7CG5DupV01stRF5oPZZXcjYKU=",
]
