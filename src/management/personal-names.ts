import { createHash, randomBytes } from "node:crypto"
import { ERASED } from "../accounting/redaction.ts"
import { randomText } from "../canon/random-text.ts"
import type { PersonKeyReads, PersonKey } from "../store/person-keys.ts"
import type { Store } from "../store/store.ts"
import type { Actor } from "./actor.ts"

/** Whom a text names: a user, or whoever has an e-mail address. */
export type NamedPerson = { readonly user: string } | { readonly address: string }

const KEY_BYTES = 32
const ENCRYPTED = /^encrypted:([^:]+):([\w-]+)$/

/**
 * What names people in the audit log and the ledger: `encrypted:<person>:<text>`, under a key of their own
 * (XChaCha20-Poly1305). Whoever erases a person destroys the key, and every text of theirs with it.
 */
export class PersonalNames {
  readonly #store: Pick<Store, "personKeys">

  constructor(store: Pick<Store, "personKeys">) {
    this.#store = store
  }

  /** `erased` for someone who is. */
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

  /** Who is named as the one who did something: users encrypted, a token or the command line in clear. */
  async authorOf(actor: Actor): Promise<string> {
    const who = personOf(actor)
    return who ? this.encrypt(who, actor.name) : actor.name
  }

  /** What can be read of texts, those that are not encrypted as they are. */
  open<Text extends string | null>(texts: readonly Text[]): Promise<(Text | string)[]> {
    return openNames(this.#store.personKeys, texts)
  }

  /** The person of an e-mail address that is no user's, where one is known. */
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

/** What can be read of texts, those that are not encrypted as they are. */
export async function openNames<Text extends string | null>(
  personKeys: Pick<PersonKeyReads, "keys">,
  texts: readonly Text[],
): Promise<(Text | string)[]> {
  const named = texts.flatMap((text) => ENCRYPTED.exec(text ?? "")?.[1] ?? [])
  if (named.length === 0) return [...texts]
  const known = await personKeys.keys([...new Set(named)])
  const keys = new Map(known.map(({ person, key }) => [person, key]))
  const { openName } = await loadCipher()
  return texts.map((text) => (ENCRYPTED.test(text ?? "") ? openName(keys, text ?? "") : text))
}

/** Loaded by the first who is named: gateways whose console no one visits never need it. */
function loadCipher() {
  return import("./name-cipher.ts")
}

/** The id of the person under whose key a text is encrypted; undefined for plain text. */
export function personIdOf(text: string): string | undefined {
  return ENCRYPTED.exec(text)?.[1]
}

/** The person who does something; undefined for a token and the command line. */
export function personOf(actor: Actor): NamedPerson | undefined {
  if (actor.kind !== "user") return undefined
  return actor.id === null ? actor.typed : { user: actor.id }
}

/** What is stored of an e-mail address to find its key. */
export function addressHash(email: string): string {
  return createHash("sha256").update(`address:${email.toLowerCase()}`).digest("base64url")
}
