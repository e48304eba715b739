import { Group, Image, Stack, Text } from "@mantine/core"
import type { Exchange, ResponsePosition, ShownResponse } from "../exchanges.ts"
import { Status } from "../../../ui/status.tsx"
import { bestOf } from "../best-of.ts"
import { ResponseView } from "./response-view.tsx"
import { t } from "../../../languages/text.ts"

export interface ExchangeViewProperties {
  readonly exchange: Exchange
  readonly isBusy: boolean
  readonly onRetry: (position: ResponsePosition, response: ShownResponse) => void
  readonly onCode: (position: ResponsePosition, response: ShownResponse) => void
  readonly onResults: (position: ResponsePosition, results: readonly string[]) => void
}

/** Shows a question with the models' responses side by side. */
export function ExchangeView(properties: ExchangeViewProperties) {
  const { exchange, isBusy, onRetry, onCode, onResults } = properties
  const { question, columns } = exchange
  const best = bestOf(columns)
  return (
    <section aria-label={t("Message and responses")} className="exchange">
      <div className="question">
        {question.images.length > 0 && (
          <Group gap="xs" mb={question.text === "" ? 0 : "xs"} justify="flex-end">
            {question.images.map((image) => (
              <Image
                key={image.name}
                src={image.url}
                alt={image.name}
                h={96}
                w="auto"
                radius="sm"
              />
            ))}
          </Group>
        )}
        {question.text !== "" && <Text className="question-text">{question.text}</Text>}
      </div>
      <div className="answers" data-columns={columns.length}>
        {columns.map(({ column, steps }) => (
          <Stack key={column} gap="xs">
            {columns.length > 1 && (
              <Marks isCheapest={best.cheapest === column} isFastest={best.fastest === column} />
            )}
            {steps.map((response, step) => {
              const position = { id: exchange.id, column, step }
              const isLast = step === steps.length - 1
              return (
                <ResponseView
                  key={step.toString()}
                  response={response}
                  onRetry={isBusy ? undefined : () => onRetry(position, response)}
                  onCode={() => onCode(position, response)}
                  onResults={
                    isBusy || !isLast ? undefined : (results) => onResults(position, results)
                  }
                />
              )
            })}
          </Stack>
        ))}
      </div>
    </section>
  )
}

interface MarksProperties {
  readonly isCheapest: boolean
  readonly isFastest: boolean
}

/** Marks the cheapest and the fastest response. */
function Marks({ isCheapest, isFastest }: MarksProperties) {
  return (
    <Group gap={6} mih={20}>
      {isCheapest && <Status value="cheapest" color="gate" />}
      {isFastest && <Status value="fastest" color="gate" />}
    </Group>
  )
}
