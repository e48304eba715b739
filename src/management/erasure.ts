import type { Erasure as ErasureDocument } from "#contract/members.ts"
import { GatewayError } from "../canon/errors.ts"
import type { Store } from "../store/store.ts"
import { StoreError } from "../store/store-error.ts"
import type { Users } from "../users/users.ts"
import { type Actor, requireOperator } from "./actor.ts"
import type { Audit } from "./audit.ts"
import { addressesOf } from "./person-records.ts"
import { addressHash } from "./personal-names.ts"
import { toSentence } from "./sentence.ts"
import { foldedEmail } from "../accounting/email-address.ts"

export interface ErasureParts {
  readonly store: Pick<Store, "audit" | "personKeys">
  readonly users: Users
  readonly audit: Audit
}

/** Erases people and their personal data everywhere. Records of their actions remain, with their id as the author. */
export class Erasure {
  readonly #parts: ErasureParts

  constructor(parts: ErasureParts) {
    this.#parts = parts
  }

  /**
   * Erases a user permanently. An interrupted erasure can be repeated.
   * @throws GatewayError `forbidden`, `not_found`; `conflict` if the user is the actor, the last operator, or the last
   * owner of an account that is not closed.
   */
  async erase(actor: Actor, id: string): Promise<ErasureDocument> {
    requireOperator(actor)
    if (actor.id === id) {
      throw new GatewayError("conflict", "You cannot erase yourself. Ask another operator.")
    }
    const { users } = this.#parts
    const user = await users.require(id)
    // Access is removed first. This step also rejects a user who must not be erased, before any data is deleted.
    const { isDisabled } = user
    await users.change(id, { isDisabled: true })
    try {
      await this.#eraseFrom(actor, id, await addressesOf(this.#parts, user))
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "last_owner") throw error
      await users.change(id, { isDisabled })
      throw new GatewayError(
        "conflict",
        `${toSentence(error.message)} Make someone else an owner, or close the account.`,
        { cause: error },
      )
    }
    await users.remove(id)
    return { object: "erasure", user: id }
  }

  /**
   * Erases the data of a person who is not a user: invitations to the email address, and its occurrences in records.
   * @throws GatewayError `forbidden`; `conflict` for the address of a user.
   */
  async eraseAddress(actor: Actor, email: string): Promise<ErasureDocument> {
    requireOperator(actor)
    if (await this.#parts.users.findByEmail(email)) {
      throw new GatewayError("conflict", "This is the address of a user. Erase the user.", {
        parameter: "email",
      })
    }
    await this.#eraseFrom(actor, null, [foldedEmail(email)])
    return { object: "erasure", user: null }
  }

  async #eraseFrom(actor: Actor, person: string | null, addresses: readonly string[]) {
    const { store, audit } = this.#parts
    const addressHashes = addresses.map(addressHash)
    const erased = { person, addresses, addressHashes, at: Date.now() }
    await audit.perform(actor, { action: "user.erase", target: person }, (record) =>
      store.personKeys.erase(erased, record),
    )
  }
}
