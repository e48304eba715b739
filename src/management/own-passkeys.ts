import type { Page } from "#contract/common.ts"
import type { NewPasskey, Passkey } from "#contract/passkeys.ts"
import { GatewayError } from "../canon/errors.ts"
import type { PasskeyRecord } from "../store/passkeys.ts"
import type { ClientInfo } from "../users/client-info.ts"
import type { BegunCeremony } from "../users/passkeys.ts"
import type { Users } from "../users/users.ts"
import type { Actor } from "./actor.ts"
import type { Audit } from "./audit.ts"
import { requireUser } from "./sessions.ts"
import { momentOrNull, momentText } from "./moment-text.ts"

/** Manages the passkeys of the signed-in user. Each change is recorded in the audit log. */
export class OwnPasskeys {
  readonly #users: Users
  readonly #audit: Audit

  constructor(users: Users, audit: Audit) {
    this.#users = users
    this.#audit = audit
  }

  /** Lists passkeys, oldest first. @throws GatewayError `forbidden` for the admin token. */
  async list(actor: Actor): Promise<Page<Passkey>> {
    const passkeys = await this.#users.passkeys.list(requireUser(actor))
    return { object: "list", data: passkeys.map(passkeyDocument), next_cursor: null }
  }

  /**
   * Begins the registration of a passkey.
   * @throws GatewayError `conflict`, `invalid_value`, `too_many_attempts`.
   */
  begin(
    actor: Actor,
    client: ClientInfo,
    { origin, password }: { readonly origin: string; readonly password: string | undefined },
  ): Promise<BegunCeremony> {
    requireUser(actor)
    return this.#users.passkeys.beginCreation(client, origin, password)
  }

  /**
   * Completes the registration of a passkey.
   * @throws GatewayError `not_signed_in`, `invalid_value`, `conflict`.
   */
  async create(
    actor: Actor,
    client: ClientInfo,
    input: NewPasskey,
  ): Promise<{ readonly passkey: Passkey; readonly cookies: readonly string[] }> {
    const id = requireUser(actor)
    const { passkey, cookies } = await this.#users.passkeys.create(client, input)
    const after = passkeyDocument(passkey)
    const about = { user: id }
    const change = { action: "passkey.create", target: passkey.id, after, about }
    await this.#audit.record(actor, change)
    return { passkey: after, cookies }
  }

  /**
   * Renames a passkey.
   * @throws GatewayError `not_found`.
   */
  async rename(actor: Actor, id: string, name: string): Promise<Passkey> {
    const user = requireUser(actor)
    const found = await this.#users.passkeys.rename(user, id, name)
    if (!found) throw noPasskey(id)
    const before = passkeyDocument(found)
    const after = { ...before, name }
    const about = { user }
    await this.#audit.record(actor, { action: "passkey.change", target: id, before, after, about })
    return after
  }

  /**
   * Deletes a passkey.
   * @throws GatewayError `not_found`.
   */
  async remove(actor: Actor, id: string): Promise<void> {
    const user = requireUser(actor)
    const found = await this.#users.passkeys.remove(user, id)
    if (!found) throw noPasskey(id)
    const before = passkeyDocument(found)
    const about = { user }
    await this.#audit.record(actor, { action: "passkey.remove", target: id, before, about })
  }
}

/** Converts a passkey to its representation in the API. */
export function passkeyDocument({ id, name, createdAt, lastUsedAt }: PasskeyRecord): Passkey {
  return {
    id,
    name,
    created_at: momentText(createdAt),
    last_used_at: momentOrNull(lastUsedAt),
  }
}

function noPasskey(id: string): GatewayError {
  return new GatewayError("not_found", `You have no passkey '${id.slice(0, 100)}'.`)
}
