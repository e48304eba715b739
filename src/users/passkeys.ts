import { randomUUID } from "node:crypto"
import { isIP } from "node:net"
import type { NewPasskey, PasskeyResponse } from "#contract/passkeys.ts"
import type { PasskeyRecord } from "../store/passkeys.ts"
import type { ProofKind } from "../store/proofs.ts"
import type { UserRecord } from "../store/users.ts"
import { attemptKey } from "./attempt-limits.ts"
import type { ClientInfo } from "./client-info.ts"
import { cookieNamed, expireCookie, PASSKEY_COOKIE, SESSION_COOKIE, setCookie } from "./cookies.ts"
import type { Ceremony } from "./webauthn.ts"
import { rejections } from "./rejections.ts"
import type { SignedIn, SignInParts } from "./sign-in.ts"
import { hashToken, newToken } from "./tokens.ts"

const CHALLENGE_LIFETIME_SECONDS = 5 * 60
const MAX_PASSKEYS = 20

/** The options for the browser, and the cookie that binds its response to them. */
export interface BegunCeremony {
  readonly options: Readonly<Record<string, unknown>> & { readonly challenge: string }
  readonly cookies: readonly string[]
}

/** Manages passkeys. Signed-in users create them, and use them to sign in without a password or a code. */
export class Passkeys {
  readonly #parts: SignInParts

  constructor(parts: SignInParts) {
    this.#parts = parts
  }

  list(user: string): Promise<PasskeyRecord[]> {
    return this.#parts.store.passkeys.list(user)
  }

  /**
   * Begins the creation of a passkey.
   * @param password the user's password, if the user has one.
   * @throws GatewayError `conflict` if browsers do not support passkeys at this origin, or the user has too many;
   * `invalid_value` for a wrong password.
   */
  async beginCreation(
    client: ClientInfo,
    origin: string,
    password: string | undefined,
  ): Promise<BegunCeremony> {
    const { store, limits, passwords, sessions } = this.#parts
    const rpId = requireDomain(origin)
    const key = attemptKey("session", cookieNamed(client.cookie, SESSION_COOKIE))
    const takeBack = await limits.beginBy(client, key)
    passwords.requireRoom()
    const { user } = await sessions.require(client.cookie)
    const hash = await store.users.passwordHash(user.id)
    if (hash !== null && !(await passwords.verify(password ?? "", hash))) {
      throw rejections.wrongPassword("password")
    }
    const known = await this.list(user.id)
    if (known.length >= MAX_PASSKEYS) throw rejections.hasTooManyPasskeys(MAX_PASSKEYS)
    await takeBack()
    const { creationOptions } = await import("./webauthn.ts")
    const options = await creationOptions({ rpId }, user, known)
    const cookies = await this.#storeChallenge("passkey-creation", user.id, {
      challenge: options.challenge,
      origin,
      rpId,
    })
    return { options, cookies }
  }

  /**
   * Creates a passkey from the browser's response.
   * @throws GatewayError `not_signed_in` if the challenge has expired; `invalid_value` for an invalid response.
   */
  async create(
    client: ClientInfo,
    { name, credential }: NewPasskey,
  ): Promise<{ readonly passkey: PasskeyRecord; readonly cookies: readonly string[] }> {
    const { store, sessions } = this.#parts
    const { user } = await sessions.require(client.cookie)
    const { ceremony } = await this.#takeChallenge(client, "passkey-creation", user.id)
    const { verifyCreation } = await import("./webauthn.ts")
    const made = await verifyCreation(ceremony, credential).catch((error: unknown) => {
      throw rejections.passkeyIsNoUse(error)
    })
    const passkey: PasskeyRecord = {
      ...made,
      id: `passkey_${randomUUID().replaceAll("-", "")}`,
      user: user.id,
      transports: credential.response.transports ?? [],
      name,
      createdAt: Date.now(),
      lastUsedAt: null,
    }
    if (!(await store.passkeys.create(passkey, MAX_PASSKEYS))) {
      throw rejections.hasTooManyPasskeys(MAX_PASSKEYS)
    }
    return { passkey, cookies: [expireCookie(PASSKEY_COOKIE)] }
  }

  /**
   * Begins a sign-in with a passkey.
   * @throws GatewayError `conflict` if browsers do not support passkeys at this origin.
   */
  async beginSignIn(client: ClientInfo, origin: string): Promise<BegunCeremony> {
    const rpId = requireDomain(origin)
    await this.#parts.limits.beginFrom("passkey", client.address)
    const { requestOptions } = await import("./webauthn.ts")
    const options = await requestOptions({ rpId })
    const cookies = await this.#storeChallenge("passkey-sign-in", null, {
      challenge: options.challenge,
      origin,
      rpId,
    })
    return { options, cookies }
  }

  /**
   * Signs a user in. The authenticator has verified the user, so no code is required.
   * @throws GatewayError `not_signed_in`; `forbidden` for a disabled user.
   */
  async signIn(
    client: ClientInfo,
    credential: PasskeyResponse,
    isRemembered: boolean,
  ): Promise<SignedIn> {
    const { store, limits, sessions } = this.#parts
    const takeBack = await limits.beginFrom("passkey-answer", client.address)
    const { ceremony } = await this.#takeChallenge(client, "passkey-sign-in", null)
    const passkey = await store.passkeys.findByCredential(credential.id)
    const user = passkey && (await store.users.find(passkey.user))
    if (!passkey || !user || !isHandleOf(user, credential)) throw rejections.noSuchPasskey()
    const { verifyUse } = await import("./webauthn.ts")
    const counter = await verifyUse(ceremony, passkey, credential).catch((error: unknown) => {
      throw rejections.noSuchPasskey(error)
    })
    if (user.isDisabled) throw rejections.isDisabled()
    if (!(await store.passkeys.use(passkey.id, counter, Date.now())))
      throw rejections.noSuchPasskey()
    const { session, cookies } = await sessions.open(user, client, { isRemembered })
    await takeBack()
    return { session, cookies: [...cookies, expireCookie(PASSKEY_COOKIE)] }
  }

  /**
   * Renames a passkey.
   * @returns the passkey before the change; null if the user has no such passkey.
   */
  async rename(user: string, id: string, name: string): Promise<PasskeyRecord | null> {
    const before = (await this.list(user)).find((passkey) => passkey.id === id)
    if (!before || !(await this.#parts.store.passkeys.rename(user, id, name))) return null
    return before
  }

  /**
   * Deletes a passkey.
   * @returns the deleted passkey; null if the user has no such passkey.
   */
  async remove(user: string, id: string): Promise<PasskeyRecord | null> {
    const before = (await this.list(user)).find((passkey) => passkey.id === id)
    if (!before || !(await this.#parts.store.passkeys.remove(user, id))) return null
    return before
  }

  /**
   * Stores a challenge for one response of this browser.
   * @returns the cookies for the browser.
   */
  async #storeChallenge(
    kind: ProofKind,
    user: string | null,
    ceremony: Ceremony,
  ): Promise<readonly string[]> {
    const token = newToken()
    await this.#parts.store.proofs.create({
      kind,
      hash: hashToken(kind, token),
      user,
      value: JSON.stringify(ceremony),
      expiresAt: Date.now() + CHALLENGE_LIFETIME_SECONDS * 1_000,
    })
    return [setCookie(PASSKEY_COOKIE, token, CHALLENGE_LIFETIME_SECONDS)]
  }

  async #takeChallenge(
    client: ClientInfo,
    kind: ProofKind,
    user: string | null,
  ): Promise<{ readonly ceremony: Ceremony }> {
    const token = cookieNamed(client.cookie, PASSKEY_COOKIE)
    if (token === undefined) throw rejections.passkeyIsOver()
    const proof = await this.#parts.store.proofs.take(kind, hashToken(kind, token), Date.now())
    if (!proof || proof.user !== user) throw rejections.passkeyIsOver()
    return { ceremony: JSON.parse(proof.value) as Ceremony }
  }
}

/**
 * Whether browsers support passkeys at an origin. They require a host name, and TLS unless the server is on the same
 * machine.
 */
export function supportsPasskeys(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  if (hostname === "localhost" || hostname.endsWith(".localhost")) return true
  return protocol === "https:" && isIP(hostname.replace(/^\[|\]$/g, "")) === 0
}

function requireDomain(origin: string): string {
  if (supportsPasskeys(origin)) return new URL(origin).hostname
  throw rejections.noPasskeysHere(origin)
}

/** Whether the user handle belongs to the user, if the authenticator has sent one. */
function isHandleOf(user: UserRecord, { response: { userHandle } }: PasskeyResponse): boolean {
  if (userHandle === undefined || userHandle === null) return true
  return Buffer.from(userHandle, "base64url").toString("utf8") === user.id
}
