import { NumberInput } from "@mantine/core"
import type { ChatSettings } from "../conversation.ts"
import { t } from "../../../languages/text.ts"
import { SEPARATORS } from "../../../format/numbers.ts"

export interface SamplingProperties {
  readonly settings: ChatSettings
  readonly onChange: (part: Partial<ChatSettings>) => void
}

/** Shows fields for the numeric settings of a request. */
export function Sampling({ settings, onChange }: SamplingProperties) {
  return (
    <>
      <NumberInput
        label={t("Temperature")}
        placeholder={t("Model's own")}
        min={0}
        max={2}
        step={0.1}
        decimalScale={2}
        value={settings.temperature ?? ""}
        onChange={(value) => onChange({ temperature: numberOf(value) })}
      />
      <NumberInput
        label={t("Top P")}
        placeholder={t("Model's own")}
        min={0}
        max={1}
        step={0.05}
        decimalScale={3}
        value={settings.topP ?? ""}
        onChange={(value) => onChange({ topP: numberOf(value) })}
      />
      <NumberInput
        label={t("Maximum tokens")}
        placeholder={t("Model's own")}
        min={1}
        allowDecimal={false}
        thousandSeparator={SEPARATORS.group}
        value={settings.maxTokens ?? ""}
        onChange={(value) => onChange({ maxTokens: numberOf(value) })}
      />
    </>
  )
}

function numberOf(value: string | number): number | null {
  return typeof value === "number" ? value : null
}
