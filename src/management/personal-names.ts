import { createHash, randomBytes } from "node:crypto"
import { ERASED } from "../accounting/redaction.ts"
import { randomText } from "../canon/random-text.ts"
import type { PersonKeyReads, PersonKey } from "../store/person-keys.ts"
import type { Store } from "../store/store.ts"
import type { Actor } from "./actor.ts"
import { foldedEmail } from "../accounting/email-address.ts"

/** The person whom a text names: a user, or the owner of an email address. */
export type NamedPerson = { readonly user: string } | { readonly address: string }

const KEY_BYTES = 32
const ENCRYPTED = /^encrypted:([^:]+):([\w-]+)$/

/**
 * Encrypts the names of people in the audit log and the ledger, as `encrypted:<person>:<text>`. Each person has a
 * separate key (XChaCha20-Poly1305). Erasing a person destroys this key, so that the texts can no longer be decrypted.
 */
export class PersonalNames {
  readonly #store: Pick<Store, "personKeys">

  constructor(store: Pick<Store, "personKeys">) {
    this.#store = store
  }

  /** Encrypts a text. Returns `erased` for an erased person. */
  async encrypt(who: NamedPerson, text: string): Promise<string> {
    const [encrypted = ERASED] = await this.encryptAll(who, [text])
    return encrypted
  }

  async encryptAll(who: NamedPerson, texts: readonly string[]): Promise<string[]> {
    const { person, key } = await this.#keyFor(who)
    if (key === null) return texts.map(() => ERASED)
    const { encryptName } = await loadCipher()
    return texts.map((text) => encryptName({ person, key }, text))
  }

  /**
   * Returns the author to store for an actor. The names of users are encrypted. Names of tokens and the command line
   * are plain text.
   */
  async authorOf(actor: Actor): Promise<string> {
    const who = personOf(actor)
    return who ? this.encrypt(who, actor.name) : actor.name
  }

  /** Decrypts texts. Plain text is returned unchanged. */
  decrypt<Text extends string | null>(texts: readonly Text[]): Promise<(Text | string)[]> {
    return decryptNames(this.#store.personKeys, texts)
  }

  /** Returns the id that stands for an email address that does not belong to a user; null if it is unknown. */
  findAddress(email: string): Promise<string | null> {
    return this.#store.personKeys.findAddress(addressHash(email))
  }

  #keyFor(who: NamedPerson): Promise<PersonKey> {
    const key = randomBytes(KEY_BYTES).toString("hex")
    if ("user" in who) return this.#store.personKeys.keyOf({ person: who.user, key })
    const person = `address_${randomText(16)}`
    return this.#store.personKeys.keyOfAddress(addressHash(who.address), { person, key })
  }
}

/** Decrypts texts. Plain text is returned unchanged. */
export async function decryptNames<Text extends string | null>(
  personKeys: Pick<PersonKeyReads, "keys">,
  texts: readonly Text[],
): Promise<(Text | string)[]> {
  const named = texts.flatMap((text) => ENCRYPTED.exec(text ?? "")?.[1] ?? [])
  if (named.length === 0) return [...texts]
  const known = await personKeys.keys([...new Set(named)])
  const keys = new Map(known.map(({ person, key }) => [person, key]))
  const { decryptName } = await loadCipher()
  return texts.map((text) => (ENCRYPTED.test(text ?? "") ? decryptName(keys, text ?? "") : text))
}

/** Loads the cipher on first use, because only the console needs it. */
function loadCipher() {
  return import("./name-cipher.ts")
}

/** Returns the id of the person whose key encrypts a text; undefined for plain text. */
export function personIdOf(text: string): string | undefined {
  return ENCRYPTED.exec(text)?.[1]
}

/** Returns the person behind an actor; undefined for a token or the command line. */
export function personOf(actor: Actor): NamedPerson | undefined {
  if (actor.kind !== "user") return undefined
  return actor.id === null ? actor.typed : { user: actor.id }
}

/** Returns the hash by which the key for an email address is found. */
export function addressHash(email: string): string {
  return createHash("sha256")
    .update(`address:${foldedEmail(email)}`)
    .digest("base64url")
}
