import { Badge, Group, Stack, Table, Text } from "@mantine/core"
import { useState } from "react"
import type { Model } from "tollgate-contract/catalog.ts"
import type { OpenaiForm } from "../code/operation-samples.ts"
import { useOperation } from "../use-operation.ts"
import { linesOf } from "../vectors.ts"
import { LinesField } from "./lines-field.tsx"
import { OperationForm, useModelChoice } from "./operation-form.tsx"
import { t } from "../../../languages/text.ts"
import { decimalText } from "../../../format/numbers.ts"

/** The call in OpenAI's clients. */
const SAMPLE: OpenaiForm = {
  method: "moderations.create",
  python: "print([result.flagged for result in answer.results])",
  javascript: "console.log(answer.results.map((result) => result.flagged))",
}

const KINDS: readonly Model["kind"][] = ["moderation"]
const EXAMPLE = t("Have a nice day!\nI will attack you.")

interface Verdict {
  readonly flagged: boolean
  readonly category_scores: Readonly<Record<string, number>>
}

/** Rates how harmful texts are. */
export function ModerationTab({ model: options }: { readonly model: string | undefined }) {
  const [text, setText] = useState(EXAMPLE)
  const [sent, setSent] = useState<readonly string[]>([])
  const choice = useModelChoice(KINDS, options)
  const operation = useOperation(readVerdicts)
  const texts = linesOf(text)

  return (
    <OperationForm
      kinds={KINDS}
      choice={choice}
      operation={operation}
      sample={SAMPLE}
      action={t("Classify")}
      missing={texts.length === 0 ? t("Enter a text first.") : undefined}
      onSend={(model) => {
        setSent(texts)
        operation.send("/v1/moderations", { model, input: texts })
      }}
      result={<Verdicts verdicts={operation.result ?? []} texts={sent} />}
    >
      <LinesField label={t("Texts")} value={text} onChange={setText} />
    </OperationForm>
  )
}

async function readVerdicts(response: Response): Promise<readonly Verdict[]> {
  const answer = (await response.json()) as { results?: Verdict[] }
  return answer.results ?? []
}

interface VerdictsProperties {
  readonly verdicts: readonly Verdict[]
  readonly texts: readonly string[]
}

function Verdicts({ verdicts, texts }: VerdictsProperties) {
  return (
    <Stack gap="md">
      {verdicts.map(({ flagged, category_scores: scores }, index) => (
        <Stack key={index.toString()} gap={4}>
          <Group justify="space-between" wrap="nowrap" gap="md">
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>
              {texts[index]}
            </Text>
            <Badge color={flagged ? "red" : "gray"} variant="light">
              {flagged ? t("Flagged") : t("Not flagged")}
            </Badge>
          </Group>
          <Scores scores={scores} label={t("Scores of text {number}", { number: index + 1 })} />
        </Stack>
      ))}
    </Stack>
  )
}

/** Lists the scores, highest first. */
function Scores({ scores, label }: { readonly scores: Verdict["category_scores"]; label: string }) {
  const sorted = Object.entries(scores).toSorted(([, left], [, right]) => right - left)
  return (
    <Table aria-label={label} withRowBorders={false}>
      <Table.Tbody>
        {sorted.slice(0, 5).map(([name, score]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={400}>
              {name}
            </Table.Th>
            <Table.Td ta="right" className="figures">
              {decimalText(score.toFixed(3))}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
