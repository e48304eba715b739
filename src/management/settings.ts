import type { LedgerVerdict, SettingsView } from "#contract/operations.ts"
import type { Catalog } from "../catalog/catalog.ts"
import { readAliases } from "../config/aliases.ts"
import {
  type ChangeableSetting,
  CHANGEABLE_SETTINGS,
  isSecretSetting,
} from "../config/changeable-settings.ts"
import { entryFindings } from "../config/console-entry.ts"
import { placeOf } from "../config/console-settings.ts"
import { settingsInFileForm } from "../config/file-form.ts"
import { Fault } from "../config/reading.ts"
import { violatedRule } from "../config/schema.ts"
import type { Presence } from "../config/secret-forms.ts"
import type { ModelKind } from "#contract/model-kinds.ts"
import { VERSION } from "../runtime.ts"
import type { StoreReader } from "../store/store.ts"
import { type Verdict, verifyLedgers } from "../ledger/verify/ledgers.ts"
import { vendors } from "../vendors/index.ts"
import { type Actor, requireOperator } from "./actor.ts"
import { type ConsoleChanges, locked } from "./console-changes.ts"
import { rejected, rejectFindings } from "./entry-rejection.ts"
import type { LiveSettings } from "./live-settings.ts"
import { toSentence } from "./sentence.ts"

/** The settings with a single value. */
const SINGLE_SETTINGS = CHANGEABLE_SETTINGS.filter(({ isList }) => !isList)

/** Stands for a secret in the audit log. */
const SECRET_SET: Presence = "set"

export interface SettingsParts {
  readonly changes: ConsoleChanges
  /** Returns the active catalog. */
  readonly catalog: () => Catalog
  /** The path of the settings file, if one exists. */
  readonly file: string | undefined
  /** Opens the database for scanning all rows without blocking others. */
  readonly openReader: () => Promise<StoreReader>
}

/** Manages the settings that the console can change, and shows all active settings. */
export class GatewaySettings {
  readonly #changes: ConsoleChanges
  readonly #live: LiveSettings
  readonly #parts: SettingsParts
  #verifying: Promise<Verdict> | undefined

  constructor(parts: SettingsParts) {
    this.#changes = parts.changes
    this.#live = parts.changes.live
    this.#parts = parts
  }

  /**
   * Returns the settings.
   * @throws GatewayError `forbidden`.
   */
  view(actor: Actor): SettingsView {
    requireOperator(actor)
    return {
      effective: settingsInFileForm(this.#live.effective),
      changeable: SINGLE_SETTINGS.map((setting) => ({
        name: setting.name,
        label: setting.label,
        help: setting.help,
        value: this.#valueOf(setting),
        default: setting.default,
        is_locked: this.#isLocked(setting.name),
        is_secret: setting.isSecret,
        is_set: this.#isSet(setting.name),
        problem: this.#problemOf(setting.name),
      })),
      file: this.#parts.file ?? null,
      version: VERSION,
    }
  }

  /**
   * Changes settings in one transaction.
   * @throws GatewayError `forbidden`, `invalid_value` with the name of the setting, `conflict`.
   */
  async change(
    actor: Actor,
    change: Readonly<Record<string, string | null>>,
  ): Promise<SettingsView> {
    requireOperator(actor)
    await this.#live.refresh()
    for (const [name, value] of Object.entries(change)) this.#check(name, value)
    this.#checkSections(change)
    const changed = Object.entries(change).filter(([name, value]) => this.#differs(name, value))
    if (changed.length === 0) return this.view(actor)
    const before = Object.fromEntries(changed.map(([name]) => [name, this.#shownOwn(name)]))
    const after = Object.fromEntries(changed.map(([name, value]) => [name, shown(name, value)]))
    await this.#changes.make(
      actor,
      { action: "settings.change", before, after },
      changed.map(([id, entry]) => ({ section: "setting", id, entry })),
    )
    return this.view(actor)
  }

  /**
   * Verifies the ledger of every account. Calls during a verification receive its verdict.
   * @throws GatewayError `forbidden`.
   */
  async verifyLedger(actor: Actor): Promise<LedgerVerdict> {
    requireOperator(actor)
    this.#verifying ??= this.#verify().finally(() => {
      this.#verifying = undefined
    })
    const { accounts, entries, receipts, writeOffs, problems } = await this.#verifying
    return {
      accounts,
      entries,
      uncharged_receipts: receipts,
      write_offs: writeOffs,
      problems: problems.map((problem) => ({ ...problem })),
    }
  }

  async #verify(): Promise<Verdict> {
    await using reader = await this.#parts.openReader()
    return await verifyLedgers(reader)
  }

  #check(name: string, value: string | null): void {
    const setting = SINGLE_SETTINGS.find((one) => one.name === name)
    if (setting === undefined) {
      const names = SINGLE_SETTINGS.map((one) => one.name).join(", ")
      throw rejected(
        name.slice(0, 100),
        `'${name.slice(0, 100)}' cannot be changed here. Changeable: ${names}.`,
      )
    }
    if (this.#isLocked(name)) throw locked(`'${name}'`, "file")
    if (value === null) return
    const findings = entryFindings(
      { section: "setting", id: name, value },
      { vendors: [...vendors.values()], providers: [] },
    )
    rejectFindings(
      findings.map((finding) => ({ ...finding, path: [], lacking: name })),
      "The setting",
      name,
    )
    if (name === "aliases") this.#checkAliases(value)
    if (name === "defaults.image_model") this.#checkModel(name, value, "image")
    if (name === "defaults.translation_model") this.#checkModel(name, value, "chat")
  }

  #checkModel(name: string, id: string, wanted: ModelKind): void {
    const kind = this.#parts.catalog().find(id)?.kind
    if (kind === wanted) return
    const reason = kind === undefined ? "there is no such model" : `it is of kind ${kind}`
    throw rejected(name, `'${name}' must be a model of kind ${wanted}, and ${reason}.`)
  }

  #checkAliases(text: string): void {
    const aliases = readAliases(text)
    const ids = aliases instanceof Fault ? [] : Object.values(aliases)
    const missing = ids.find((id) => this.#parts.catalog().find(id) === undefined)
    if (missing === undefined) return
    throw rejected("aliases", `'aliases' refers to '${missing}', which does not exist.`)
  }

  /** Rejects a change after which a section lacks a setting that another one needs. */
  #checkSections(change: Readonly<Record<string, string | null>>): void {
    const isSet = (name: string): boolean =>
      change[name] === undefined ? this.#isSet(name) : change[name] !== null
    for (const name of Object.keys(change)) {
      const [section = ""] = name.split(".")
      const rule = violatedRule(section, isSet)
      if (rule !== undefined) throw rejected(name, `'${section}' ${rule}.`)
    }
  }

  #isSet(name: string): boolean {
    return this.#isLocked(name) || this.#live.record("setting", name) !== undefined
  }

  /** Returns the reason why the value from the console is not used. */
  #problemOf(name: string): string | null {
    const fault = this.#live.reading.faults.get(placeOf("setting", name))
    return fault === undefined || this.#isLocked(name) ? null : toSentence(fault)
  }

  #isLocked(name: string): boolean {
    return this.#live.base.written.includes(name)
  }

  #valueOf(setting: ChangeableSetting): string | null {
    if (this.#isLocked(setting.name)) return setting.show(this.#live.effective)
    return this.#own(setting.name)
  }

  /** Whether a change has an effect. A new secret always has one, because secrets are not compared. */
  #differs(name: string, value: string | null): boolean {
    if (value !== null && isSecretSetting(name)) return true
    return value === null
      ? this.#live.record("setting", name) !== undefined
      : value !== this.#own(name)
  }

  /** Returns the value from the console as the audit log shows it. */
  #shownOwn(name: string): string | null {
    if (!isSecretSetting(name)) return this.#own(name)
    return this.#live.record("setting", name) === undefined ? null : SECRET_SET
  }

  /** Returns the value from the console; null if there is none, or if it is a secret. */
  #own(name: string): string | null {
    const record = this.#live.record("setting", name)
    if (record === undefined) return null
    const value: unknown = JSON.parse(record.body)
    return typeof value === "string" ? value : null
  }
}

/** Returns a new value as the audit log shows it. */
function shown(name: string, value: string | null): string | null {
  return value !== null && isSecretSetting(name) ? SECRET_SET : value
}
