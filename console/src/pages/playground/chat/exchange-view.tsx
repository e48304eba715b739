import { Group, Image, Text } from "@mantine/core"
import type { Exchange, ShownAnswer } from "../exchanges.ts"
import { AnswerView } from "./answer-view.tsx"

export interface ExchangeViewProperties {
  readonly exchange: Exchange
  readonly isBusy: boolean
  readonly onRetry: (column: number) => void
  readonly onCode: (answer: ShownAnswer) => void
}

/** A question, and the models' answers side by side. */
export function ExchangeView({ exchange, isBusy, onRetry, onCode }: ExchangeViewProperties) {
  const { question, answers } = exchange
  return (
    <section aria-label="Question and answers" className="exchange">
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
      <div className="answers" data-columns={answers.length}>
        {answers.map((answer, column) =>
          answer === null ? null : (
            <AnswerView
              key={column.toString()}
              answer={answer}
              onRetry={isBusy ? undefined : () => onRetry(column)}
              onCode={() => onCode(answer)}
            />
          ),
        )}
      </div>
    </section>
  )
}
