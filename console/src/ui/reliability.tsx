import "./reliability.css"
import { Group, Text } from "@mantine/core"
import type { ReliabilityRow } from "tollgate-contract/usage.ts"
import { timeText } from "../format/moments.ts"
import { countText, durationText, shareText, shortCount } from "../format/numbers.ts"
import { type Fact, Facts } from "./facts.tsx"
import { Status } from "./status.tsx"
import { t } from "../languages/text.ts"

interface HealthSummaryProperties {
  readonly state: string
  readonly history: ReliabilityRow | undefined
  /** Whether compact rows omit the figures. The hours have them, too. */
  readonly isShort?: boolean
}

/** Shows the current state and the last 24 hours. */
export function HealthSummary({ state, history, isShort = false }: HealthSummaryProperties) {
  return (
    <div className="health">
      <Group gap={8} wrap="nowrap">
        <Status value={state} />
        {history !== undefined && (
          <Text span size="xs" c="dimmed" className={isShort ? "figures row-detail" : "figures"}>
            {t("{share} of {requests}", {
              share: shareText(shareOf(history)),
              requests: shortCount(history.requests),
            })}
          </Text>
        )}
      </Group>
      {history !== undefined && (
        <div className="hours">
          <HourStrip history={history} />
        </div>
      )}
    </div>
  )
}

/** Shows a bar for each of the last 24 hours. The red part of a bar is the share of failed requests. */
function HourStrip({ history }: { readonly history: ReliabilityRow }) {
  const { requests, failed, hours } = history
  const label = t(
    "Last 24 hours: {share} of {requests, plural, one {# request} other {# requests}} succeeded, {failed} failed",
    { share: shareText(shareOf(history)), requests, failed: countText(failed) },
  )
  return (
    <div className="hour-strip" role="img" aria-label={label}>
      {hours.map((hour) => (
        <span
          key={hour.at}
          title={hourText(hour)}
          className={hour.requests === 0 ? "hour-empty" : undefined}
        >
          {hour.failed > 0 && <i style={{ height: `${faultHeight(hour)}%` }} />}
        </span>
      ))}
    </div>
  )
}

function hourText({ at, requests, failed }: ReliabilityRow["hours"][number]): string {
  const time = timeText(at)
  return requests === 0
    ? t("{time}: no requests", { time })
    : t("{time}: {requests, plural, one {# request} other {# requests}}, {failed} failed", {
        time,
        requests,
        failed: countText(failed),
      })
}

/** Shows response times in two lines, for a table cell. */
export function Speed({ history }: { readonly history: ReliabilityRow | undefined }) {
  const median = history?.times.p50_duration_ms ?? null
  if (history === undefined || median === null) return <span className="dim">–</span>
  const { p95_duration_ms: p95, tokens_per_second: speed } = history.times
  return (
    <div className="speed">
      {durationText(median)}
      <Text size="xs" c="dimmed">
        {t("95% in {p95}", { p95: durationText(p95) })}
      </Text>
      {speed !== null && (
        <Text size="xs" c="dimmed">
          {t("{speed} tokens/s", { speed: countText(speed) })}
        </Text>
      )}
    </div>
  )
}

/** Shows all reliability figures. */
export function ReliabilityFacts({ history }: { readonly history: ReliabilityRow | undefined }) {
  if (history === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {t("No requests in the last 24 hours.")}
      </Text>
    )
  }
  return (
    <>
      <HourStrip history={history} />
      <Facts facts={factsOf(history)} />
    </>
  )
}

function factsOf(history: ReliabilityRow): Fact[] {
  const { requests, failed, times } = history
  return [
    { label: t("Requests"), value: countText(requests) },
    {
      label: t("Succeeded"),
      value: t("{share} ({failed} failed)", {
        share: shareText(shareOf(history)),
        failed: countText(failed),
      }),
    },
    { label: t("Median duration"), value: durationText(times.p50_duration_ms) },
    { label: t("95% within"), value: durationText(times.p95_duration_ms) },
    { label: t("First byte, median"), value: durationText(times.p50_first_byte_ms) },
    {
      label: t("Tokens per second"),
      value: times.tokens_per_second === null ? "–" : countText(times.tokens_per_second),
    },
  ]
}

/** Rounds down to tenths of a percent, so that 100% is shown only if no request failed. */
function shareOf({ requests, failed }: ReliabilityRow): number {
  return requests === 0 ? 1 : Math.floor(((requests - failed) / requests) * 1_000) / 1_000
}

/** Returns a minimum height, so that a single failure among many requests stays visible. */
function faultHeight({ requests, failed }: ReliabilityRow["hours"][number]): number {
  return Math.max(15, (failed / requests) * 100)
}
