import { Group, Stack, Text, Tooltip } from "@mantine/core"
import type { FailedAttemptDocument } from "tollgate-contract/failures.ts"
import type { Receipt } from "tollgate-contract/receipts.ts"
import { creditsText } from "../../format/credits.ts"
import { durationText } from "../../format/numbers.ts"
import { Panel } from "../../ui/panel.tsx"
import { Status } from "../../ui/status.tsx"
import { reasonsOf } from "./attempt-reasons.ts"
import { t } from "../../languages/text.ts"

export interface AttemptsPanelProperties {
  readonly receipt: Receipt
  /** The known failures of attempts. */
  readonly failures: readonly FailedAttemptDocument[]
}

/** Shows the called deployments in order, with their durations as bars on one time axis. */
export function AttemptsPanel({ receipt, failures }: AttemptsPanelProperties) {
  const { attempts } = receipt
  const reasons = reasonsOf(attempts, failures)
  const tried = attempts.reduce((sum, attempt) => sum + attempt.duration, 0)
  const whole = Math.max(receipt.duration_ms, tried, 1)
  let before = 0
  return (
    <Panel
      title={t("Attempts")}
      description={t(
        "{count, plural, one {# call} other {# calls}} upstream, {duration} in total",
        { count: attempts.length, duration: durationText(receipt.duration_ms) },
      )}
    >
      {attempts.length === 0 && (
        <Text size="sm" c="dimmed">
          {t("The request ended before any upstream call.")}
        </Text>
      )}
      <Stack gap="md" component="ol" className="attempts">
        {attempts.map((attempt, index) => {
          const begin = before
          before += attempt.duration
          return (
            <li key={`${index} ${attempt.deployment}`}>
              <Group justify="space-between" gap="xs">
                <Text size="sm" className="anywhere">
                  {attempt.deployment}
                </Text>
                <Group gap="xs">
                  {attempt.status > 0 && (
                    <Text size="xs" c="dimmed" className="figures">
                      HTTP {attempt.status}
                    </Text>
                  )}
                  <Status value={attempt.outcome} />
                  <Text size="sm" className="figures">
                    {durationText(attempt.duration)}
                  </Text>
                </Group>
              </Group>
              <TimeBar
                begin={begin / whole}
                length={attempt.duration / whole}
                isFine={attempt.outcome === "ok"}
                words={t("From {begin} to {end}", {
                  begin: durationText(begin),
                  end: durationText(before),
                })}
              />
              {attempt.provider_cost !== undefined && (
                <Text size="xs" c="dimmed" mt={4}>
                  {t("The vendor charged you {cost} credits for it; the account was not charged.", {
                    cost: creditsText(attempt.provider_cost),
                  })}
                </Text>
              )}
              <Reasons cause={attempt.cause} words={reasons[index]} />
            </li>
          )
        })}
      </Stack>
      {receipt.first_byte_ms !== null && (
        <Text size="xs" c="dimmed" mt="sm">
          {t("First byte after {duration}.", { duration: durationText(receipt.first_byte_ms) })}
        </Text>
      )}
    </Panel>
  )
}

interface ReasonsProperties {
  /** The gateway's description of the failure. */
  readonly cause: string | undefined
  /** The vendor's error message. */
  readonly words: string | undefined
}

/** Shows why an attempt failed. */
function Reasons({ cause, words }: ReasonsProperties) {
  return [...new Set([cause, words])].map(
    (reason) =>
      reason !== undefined && (
        <Text key={reason} size="xs" c="dimmed" mt={4} className="anywhere">
          {reason}
        </Text>
      ),
  )
}

interface TimeBarProperties {
  /** Start and length as fractions of the total duration, from 0 to 1. */
  readonly begin: number
  readonly length: number
  readonly isFine: boolean
  readonly words: string
}

function TimeBar({ begin, length, isFine, words }: TimeBarProperties) {
  return (
    <Tooltip label={words}>
      <div className="time-track" aria-hidden>
        <div
          className="time-bar"
          data-fault={!isFine || undefined}
          style={{ left: `${begin * 100}%`, width: `${Math.max(length * 100, 0.8)}%` }}
        />
      </div>
    </Tooltip>
  )
}
