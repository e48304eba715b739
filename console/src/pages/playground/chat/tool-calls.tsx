import { Button, Group, Stack, Text, Textarea } from "@mantine/core"
import { useState } from "react"
import { Snippet } from "../../../ui/snippet.tsx"
import type { ToolCall } from "../response.ts"
import { t } from "../../../languages/text.ts"

export interface ToolCallsProperties {
  readonly calls: readonly ToolCall[]
  /** Entered results in the order of the calls; empty until the user enters them. */
  readonly results: readonly string[]
  /** Receives the entered results; undefined if results cannot be entered now. */
  readonly onResults: ((results: readonly string[]) => void) | undefined
}

/** Shows a model's tool calls with fields for their results. The console does not run tools. */
export function ToolCalls({ calls, results, onResults }: ToolCallsProperties) {
  const [typed, setTyped] = useState<readonly string[]>([])
  const isAsked = results.length === 0 && onResults !== undefined
  return (
    <Stack gap="xs">
      {calls.map(({ id, name, arguments: given }, index) => (
        <div key={`${id} ${index.toString()}`} className="tool-call">
          <Text size="sm" fw={600} className="anywhere">
            {t("Calls {name}", { name })}
          </Text>
          <Snippet
            code={readable(given)}
            label={t("Copy the arguments of {name}", { name })}
            maxHeight={240}
          />
          {isAsked && (
            <Textarea
              label={t("Result of {name}", { name })}
              autosize
              minRows={1}
              maxRows={8}
              value={typed[index] ?? ""}
              onChange={({ currentTarget: { value } }) =>
                setTyped(calls.map((_, other) => (other === index ? value : (typed[other] ?? ""))))
              }
            />
          )}
          {results[index] !== undefined && (
            <>
              <Text size="xs" c="dimmed">
                {t("Result")}
              </Text>
              <Snippet
                code={readable(results[index])}
                label={t("Copy the result of {name}", { name })}
                maxHeight={240}
              />
            </>
          )}
        </div>
      ))}
      {isAsked && (
        <Group>
          <Button
            size="xs"
            variant="light"
            onClick={() => onResults(calls.map((_, index) => typed[index] ?? ""))}
          >
            {calls.length === 1 ? t("Send the result") : t("Send the results")}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Formats JSON on several lines; other text stays unchanged. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
