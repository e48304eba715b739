import type { IssuerChange, IssuerList, IssuerSettings } from "#contract/operations.ts"
import { GatewayError } from "../canon/errors.ts"
import { entryFindings } from "../config/console-entry.ts"
import { placeOf } from "../config/console-settings.ts"
import type { OidcSettings } from "../config/sections/sign-in.ts"
import { presence } from "../config/secret-forms.ts"
import { isLocalHost } from "../database-address.ts"
import { vendors } from "../vendors/index.ts"
import { type Actor, requireOperator } from "./actor.ts"
import { type ConsoleChanges, locked } from "./console-changes.ts"
import { rejected, rejectFindings } from "./entry-rejection.ts"
import type { LiveSettings } from "./live-settings.ts"
import { toSentence } from "./sentence.ts"

/** The setting with the list of issuers. The list is stored as one encrypted value. */
const SETTING = "console.oidc"

/** An issuer in the format of the settings file. */
type WrittenIssuer = Readonly<Record<string, unknown>> & { readonly id: string }

/** Manages the OpenID Connect issuers of the console. Issuers of the settings file take precedence. */
export class IssuerManagement {
  readonly #changes: ConsoleChanges
  readonly #live: LiveSettings

  constructor(changes: ConsoleChanges) {
    this.#changes = changes
    this.#live = changes.live
  }

  /**
   * Lists the active issuers.
   * @throws GatewayError `forbidden`.
   */
  list(actor: Actor): IssuerList {
    requireOperator(actor)
    const active = this.#live.effective.console?.oidc ?? []
    const fault = this.#live.reading.faults.get(placeOf("setting", SETTING))
    return {
      object: "list",
      data: active.map(issuerDocument),
      is_locked: this.#isLocked,
      problem: fault === undefined || this.#isLocked ? null : toSentence(fault),
    }
  }

  /**
   * Adds an issuer, or changes the issuer with this id.
   * @throws GatewayError `forbidden`, `conflict`, `invalid_value` with the name of the field.
   */
  async put(actor: Actor, id: string, change: IssuerChange): Promise<IssuerSettings> {
    await this.#begin(actor)
    const before = this.#own.find((one) => one.id === id)
    const entry = withSecret({ id, ...change }, before)
    const others = this.#own.filter((one) => one.id !== id)
    check(entry)
    await this.#save(actor, { id, before, after: entry }, [...others.map(written), entry])
    const saved = this.#own.find((one) => one.id === id)
    if (saved === undefined) throw new Error(`the issuer ${id} passed validation but is not used`)
    return issuerDocument(saved)
  }

  /**
   * Removes an issuer. People who only signed in through it need another way to sign in.
   * @throws GatewayError `forbidden`, `not_found`, `conflict`.
   */
  async remove(actor: Actor, id: string): Promise<void> {
    await this.#begin(actor)
    const before = this.#own.find((one) => one.id === id)
    if (before === undefined) {
      throw new GatewayError("not_found", `There is no issuer '${id.slice(0, 100)}'.`)
    }
    const others = this.#own.filter((one) => one.id !== id)
    await this.#save(actor, { id, before, after: undefined }, others.map(written))
  }

  async #begin(actor: Actor): Promise<void> {
    requireOperator(actor)
    await this.#live.refresh()
    if (this.#isLocked) throw locked(`'${SETTING}'`, "file")
  }

  async #save(
    actor: Actor,
    { id, before, after }: IssuerDifference,
    entries: readonly WrittenIssuer[],
  ): Promise<void> {
    const change = {
      action: after === undefined ? "issuer.delete" : "issuer.change",
      target: id,
      before: before && shown(written(before)),
      after: after && shown(after),
    }
    const entry = entries.length === 0 ? null : entries
    await this.#changes.make(actor, change, [{ section: "setting", id: SETTING, entry }])
  }

  get #isLocked(): boolean {
    return this.#live.base.written.includes(SETTING)
  }

  /** The issuers that were set in the console. */
  get #own(): readonly OidcSettings[] {
    return this.#live.reading.settings.console?.oidc ?? []
  }
}

interface IssuerDifference {
  readonly id: string
  readonly before: OidcSettings | undefined
  readonly after: WrittenIssuer | undefined
}

/**
 * Completes an entry with the stored secret.
 * @throws GatewayError `invalid_value` for another address, because a stored secret must never be sent there.
 */
function withSecret(
  { client_secret: secret, ...open }: IssuerChange & { readonly id: string },
  before: OidcSettings | undefined,
): WrittenIssuer {
  if (secret === null) return open
  if (secret !== undefined) return { ...open, client_secret: secret }
  if (before?.clientSecret === undefined) return open
  if (URL.parse(open.issuer)?.origin !== URL.parse(before.issuer)?.origin) {
    throw rejected(
      "client_secret",
      "The stored secret would be sent to another address. Enter it again.",
    )
  }
  return { ...open, client_secret: before.clientSecret }
}

/**
 * Validates an entry by the rules of the settings file.
 * @throws GatewayError `invalid_value` with all faults.
 */
function check(entry: WrittenIssuer): void {
  const value = [entry]
  const context = { vendors: [...vendors.values()], providers: [] }
  const findings = entryFindings({ section: "setting", id: SETTING, value }, context)
  // Paths begin with the position in the list.
  const own = findings.map((finding) => ({ ...finding, path: finding.path.slice(1) }))
  rejectFindings(own, "The issuer", "id")
  const { protocol, host } = new URL(String(entry["issuer"]))
  if (protocol === "https:" || isLocalHost(host)) return
  throw rejected(
    "issuer",
    "'issuer' must begin with https://, because others on the network could sign in as any user.",
  )
}

/** Returns an issuer in the format of the settings file. */
function written({ id, name, issuer, clientId, clientSecret }: OidcSettings): WrittenIssuer {
  const open = { id, name, issuer, client_id: clientId }
  return clientSecret === undefined ? open : { ...open, client_secret: clientSecret }
}

/** Returns an issuer as the audit log shows it. */
function shown({ client_secret: secret, ...open }: WrittenIssuer): object {
  return { ...open, client_secret: presence(secret) }
}

function issuerDocument({
  id,
  name,
  issuer,
  clientId,
  clientSecret,
}: OidcSettings): IssuerSettings {
  return { id, name, issuer, client_id: clientId, has_client_secret: clientSecret !== undefined }
}
