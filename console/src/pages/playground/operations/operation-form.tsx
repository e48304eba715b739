import { Button, Group, Stack, Text } from "@mantine/core"
import { IconCode, IconPlayerStopFilled } from "../../../ui/icons.tsx"
import { useQuery } from "@tanstack/react-query"
import { type FormEvent, type ReactNode, useState } from "react"
import type { Model } from "tollgate-contract/catalog.ts"
import { useSession } from "../../../session.tsx"
import { EmptyState } from "../../../ui/empty-state.tsx"
import { Panel } from "../../../ui/panel.tsx"
import { modelsQuery } from "../../../api/models-query.ts"
import { CodeModal } from "../code-modal.tsx"
import { type OpenaiForm, operationSamples, type SentOperation } from "../code/operation-samples.ts"
import { CostLine } from "../cost-line.tsx"
import { FailureNotice } from "../failure-notice.tsx"
import { firstModel } from "../first-model.ts"
import { ModelSelect } from "../../../ui/model-select.tsx"
import type { Operation } from "../use-operation.ts"
import { t } from "../../../languages/text.ts"

/** Returns the model of a tab: the selected model, the model named in the URL, or the first model that fits. */
export function useModelChoice(kinds: readonly Model["kind"][], options: string | undefined) {
  const { data } = useQuery(modelsQuery)
  const [chosen, choose] = useState<string | null>(null)
  const model = chosen ?? (data === undefined ? null : firstModel(data, kinds, options))
  return { model, choose, isNone: data !== undefined && model === null }
}

export interface OperationFormProperties {
  readonly kinds: readonly Model["kind"][]
  readonly choice: ReturnType<typeof useModelChoice>
  readonly operation: Operation<unknown>
  /** The call in OpenAI's clients; absent if they do not support the operation. */
  readonly sample?: OpenaiForm | undefined
  /** The label of the button. */
  readonly action: string
  /** Names the missing input, in addition to the operation's general obstacles. */
  readonly missing?: string | undefined
  readonly onSend: (model: string) => void
  /** The input fields. */
  readonly children: ReactNode
  /** The rendered result. */
  readonly result: ReactNode
}

/** Shows the form of a tab and the result below it, for all operations except chat. */
export function OperationForm(properties: OperationFormProperties) {
  const { kinds, choice, operation, sample, action, missing, onSend, children, result } = properties
  const { model } = choice
  const obstacle = operation.obstacle ?? (model === null ? t("Choose a model first.") : missing)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (obstacle === undefined && model !== null) onSend(model)
  }

  if (choice.isNone) {
    return (
      <EmptyState title={t("No model of this kind has a price yet")}>
        {t("An operator can add a provider that has one, or set a price on the Models page.")}
      </EmptyState>
    )
  }
  return (
    <Stack>
      <Panel>
        <form onSubmit={submit}>
          <Stack gap="sm">
            <ModelSelect kinds={kinds} value={model} onChange={choice.choose} label={t("Model")} />
            {children}
            <Group gap="sm">
              <Button type="submit" loading={operation.isRunning} disabled={obstacle !== undefined}>
                {action}
              </Button>
              {operation.isRunning && (
                <Button
                  variant="light"
                  color="red"
                  leftSection={<IconPlayerStopFilled size={14} />}
                  onClick={operation.stop}
                >
                  {t("Stop")}
                </Button>
              )}
              {obstacle !== undefined && (
                <Text size="sm" c="dimmed">
                  {obstacle}
                </Text>
              )}
            </Group>
          </Stack>
        </form>
      </Panel>
      {operation.failure !== undefined && <FailureNotice failure={operation.failure} />}
      {operation.result !== undefined && (
        <Panel title={t("Result")} actions={<AsCode sent={operation.sent} sample={sample} />}>
          <Stack gap="sm">
            {result}
            {operation.facts !== undefined && (
              <CostLine {...operation.facts} durationMs={operation.durationMs} />
            )}
          </Stack>
        </Panel>
      )}
    </Stack>
  )
}

interface AsCodeProperties {
  readonly sent: SentOperation | undefined
  readonly sample: OpenaiForm | undefined
}

function AsCode({ sent, sample }: AsCodeProperties) {
  const { base_url: base } = useSession()
  const [isOpen, setOpen] = useState(false)
  if (sent === undefined) return null
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconCode size={16} />}
        onClick={() => setOpen(true)}
      >
        {t("Copy as code")}
      </Button>
      <CodeModal
        samples={isOpen ? operationSamples(base, sent, sample) : undefined}
        onClose={() => setOpen(false)}
      />
    </>
  )
}
