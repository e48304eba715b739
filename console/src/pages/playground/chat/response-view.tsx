import { ActionIcon, Group, Loader, Stack, Text, Tooltip } from "@mantine/core"
import { Suspense } from "react"
import { lazyPart } from "../../../layout/lazy-page.ts"
import { IconCode, IconRefresh } from "../../../ui/icons.tsx"
import { countText, durationText, tokensPerSecond } from "../../../format/numbers.ts"
import { CopyButton } from "../../../ui/copy-button.tsx"
import { CostLine } from "../cost-line.tsx"
import type { ShownResponse } from "../exchanges.ts"
import { FailureNotice } from "../failure-notice.tsx"
import { useNow } from "../use-now.ts"
import { ToolCalls, type ToolCallsProperties } from "./tool-calls.tsx"
import { t } from "../../../languages/text.ts"

/** Loaded when the first text arrives. */
const Markdown = lazyPart(() =>
  import("../../../ui/markdown.tsx").then((module) => module.Markdown),
)

export interface ResponseViewProperties {
  readonly response: ShownResponse
  readonly onRetry: (() => void) | undefined
  readonly onCode: () => void
  readonly onResults: ToolCallsProperties["onResults"]
}

/** Shows a model's response as it streams: collapsed reasoning, text, tool calls and cost. */
export function ResponseView({ response, onRetry, onCode, onResults }: ResponseViewProperties) {
  const { state, text, reasoning, toolCalls, failure, model } = response
  const isSilent = text === "" && reasoning === "" && toolCalls.length === 0
  return (
    <article
      className="answer"
      aria-busy={state === "running"}
      aria-label={t("Response from {model}", { model })}
    >
      <Text size="xs" fw={600} c="dimmed" className="answer-model">
        {model}
      </Text>
      <Stack gap="xs">
        {reasoning !== "" && (
          <Reasoning text={reasoning} isOpenYet={text === "" && state === "running"} />
        )}
        {isSilent && state === "running" && (
          <Loader type="dots" size="sm" aria-label={t("Waiting")} />
        )}
        {isSilent && state === "stopped" && (
          <Text size="sm" c="dimmed">
            {t("Stopped before anything arrived.")}
          </Text>
        )}
        {isSilent && state === "done" && (
          <Text size="sm" c="dimmed">
            {t("The model returned nothing ({reason}).", {
              reason: response.finish ?? t("no reason given"),
            })}
          </Text>
        )}
        {text !== "" && (
          <Suspense fallback={<div className="markdown-plain">{text}</div>}>
            <Markdown text={text} />
          </Suspense>
        )}
        {toolCalls.length > 0 && (
          <ToolCalls
            calls={toolCalls}
            results={response.results}
            onResults={state === "done" ? onResults : undefined}
          />
        )}
        {failure !== null && <FailureNotice failure={failure} onRetry={onRetry} />}
      </Stack>
      <Group justify="space-between" gap="xs" mt={6} wrap="nowrap" align="flex-start">
        {state === "running" ? <Progress response={response} /> : <Result response={response} />}
        {state !== "running" && <Actions text={text} onRetry={onRetry} onCode={onCode} />}
      </Group>
    </article>
  )
}

interface ActionsProperties extends Pick<ResponseViewProperties, "onRetry" | "onCode"> {
  readonly text: string
}

function Actions({ text, onRetry, onCode }: ActionsProperties) {
  return (
    <Group gap={2} wrap="nowrap">
      {text !== "" && <CopyButton value={text} label={t("Copy the response")} />}
      <Tooltip label={t("Copy as code")}>
        <ActionIcon variant="subtle" color="gray" aria-label={t("Copy as code")} onClick={onCode}>
          <IconCode size={16} />
        </ActionIcon>
      </Tooltip>
      {onRetry !== undefined && (
        <Tooltip label={t("Regenerate")}>
          <ActionIcon variant="subtle" color="gray" aria-label={t("Regenerate")} onClick={onRetry}>
            <IconRefresh size={16} />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  )
}

function Reasoning({ text, isOpenYet }: { readonly text: string; readonly isOpenYet: boolean }) {
  return (
    <details className="reasoning">
      <summary>
        {isOpenYet ? t("Thinking…") : t("Reasoning")}{" "}
        <span className="dim">{t("{count} characters", { count: countText(text.length) })}</span>
      </summary>
      <div className="reasoning-text">{text}</div>
    </details>
  )
}

/** Shows the progress of a running response. The cost is unknown until the last frame. */
function Progress({ response }: { readonly response: ShownResponse }) {
  const now = useNow(100)
  const length = response.text.length + response.reasoning.length
  return (
    <Text size="xs" c="dimmed" className="figures">
      {durationText(Math.max(0, Math.floor((now - response.startedAt) / 100) * 100))}
      {length > 0 && ` · ${t("{count} characters", { count: countText(length) })}`}
    </Text>
  )
}

function Result({ response }: { readonly response: ShownResponse }) {
  const { tokens, state, finish } = response
  const speed = tokensPerSecond({
    output: tokens?.output ?? 0,
    first_byte_ms: response.firstByteMs,
    duration_ms: response.durationMs,
  })
  return (
    <CostLine {...response}>
      {response.firstByteMs !== null && (
        <span>{t("first byte {duration}", { duration: durationText(response.firstByteMs) })}</span>
      )}
      {speed !== undefined && <span>{t("{speed} tokens/s", { speed: countText(speed) })}</span>}
      {tokens !== null && <span>{tokensText(tokens)}</span>}
      {state === "stopped" && <span>{t("stopped")}</span>}
      {finish === "length" && <span>{t("cut off at the token limit")}</span>}
    </CostLine>
  )
}

function tokensText({ input, cached, output, reasoning }: NonNullable<ShownResponse["tokens"]>) {
  return t(
    "{input} in{cached, plural, =0 {} other { ({cachedTokens} cached)}}, {output} out{reasoning, plural, =0 {} other { ({reasoningTokens} reasoning)}} tokens",
    {
      input: countText(input),
      cached,
      cachedTokens: countText(cached),
      output: countText(output),
      reasoning,
      reasoningTokens: countText(reasoning),
    },
  )
}
