import { randomUUID } from "node:crypto"
import { TEST_NOTICE } from "#contract/notice-types.ts"
import type { SettingsTest } from "#contract/operations.ts"
import { foldedEmail } from "../accounting/email-address.ts"
import type { Settings } from "../config/settings.ts"
import { DeliveryError } from "../notices/channels/channel.ts"
import { Mail } from "../notices/channels/mail.ts"
import { MailError } from "../notices/channels/mail-error.ts"
import { attemptKey, type AttemptLimits } from "../users/attempt-limits.ts"
import { type Actor, requireOperator } from "./actor.ts"
import { toSentence } from "./sentence.ts"

/** Rate limit of test email to one address. */
const MAILS_PER_ADDRESS = { max: 5, window: 10 * 60_000 }

export interface SettingsTestParts {
  /** Returns the active settings. */
  readonly settings: () => Settings
  readonly limits: AttemptLimits
}

/** Tests the active settings of other services. Results contain no secrets and no text of these services. */
export class SettingsTests {
  readonly #parts: SettingsTestParts

  constructor(parts: SettingsTestParts) {
    this.#parts = parts
  }

  /**
   * Sends a test email.
   * @throws GatewayError `forbidden`, `too_many_attempts`.
   */
  async mail(actor: Actor, address: string): Promise<SettingsTest> {
    requireOperator(actor)
    const { settings, limits } = this.#parts
    const place = foldedEmail(address)
    await limits.begin([{ key: attemptKey("notice-test", place), ...MAILS_PER_ADDRESS }])
    const message = {
      id: `evt_${randomUUID()}`,
      type: TEST_NOTICE,
      created_at: new Date().toISOString(),
      account: null,
      data: { asked_by: actor.name },
    }
    return timed(async () => {
      try {
        await new Mail(() => settings().notices.mail).send(message, { address })
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error
        const remedy = error instanceof MailError ? ` ${error.remedy}.` : ""
        return { ok: false, message: toSentence(error.message) + remedy }
      }
      return {
        ok: true,
        message: `The mail server accepted the email to ${address}. If it does not arrive, check the spam folder.`,
      }
    })
  }
}

async function timed(
  step: () => Promise<Omit<SettingsTest, "duration_ms">>,
): Promise<SettingsTest> {
  const begun = performance.now()
  const result = await step()
  return { ...result, duration_ms: Math.round(performance.now() - begun) }
}
