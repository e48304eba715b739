import { Group, Progress, Stack, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import type { Model } from "tollgate-contract/catalog.ts"
import { useOperation } from "../use-operation.ts"
import { linesOf } from "../vectors.ts"
import { LinesField } from "./lines-field.tsx"
import { OperationForm, useModelChoice } from "./operation-form.tsx"
import { t } from "../../../languages/text.ts"
import { decimalText } from "../../../format/numbers.ts"

const KINDS: readonly Model["kind"][] = ["rerank", "embedding"]
const DOCUMENTS = [
  t("The gateway sets credits aside before each call."),
  t("Bananas ripen faster in a paper bag."),
  t("A charge is written once, after the response."),
].join("\n")

interface Ranked {
  readonly index: number
  readonly relevance_score: number
  readonly document?: string | { readonly text?: string }
}

/** Sorts documents by their relevance to a query. */
export function RerankTab({ model: options }: { readonly model: string | undefined }) {
  const [query, setQuery] = useState(t("How are requests charged?"))
  const [text, setText] = useState(DOCUMENTS)
  const [sent, setSent] = useState<readonly string[]>([])
  const choice = useModelChoice(KINDS, options)
  const operation = useOperation(readRanking)
  const documents = linesOf(text)

  return (
    <OperationForm
      kinds={KINDS}
      choice={choice}
      operation={operation}
      action={t("Rank")}
      missing={query.trim() === "" ? t("Enter a query first.") : noDocuments(documents)}
      onSend={(model) => {
        setSent(documents)
        operation.send("/v1/rerank", { model, query, documents })
      }}
      result={<Ranking ranking={operation.result ?? []} documents={sent} />}
    >
      <TextInput
        label={t("Query")}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
      />
      <LinesField label={t("Documents")} value={text} onChange={setText} />
    </OperationForm>
  )
}

function noDocuments(documents: readonly string[]): string | undefined {
  return documents.length === 0 ? t("Enter a document first.") : undefined
}

async function readRanking(response: Response): Promise<readonly Ranked[]> {
  const answer = (await response.json()) as { results?: Ranked[] }
  return answer.results ?? []
}

interface RankingProperties {
  readonly ranking: readonly Ranked[]
  readonly documents: readonly string[]
}

function Ranking({ ranking, documents }: RankingProperties) {
  return (
    <Stack gap="sm" component="ol" m={0} pl="lg">
      {ranking.map(({ index, relevance_score: score }) => (
        <li key={index}>
          <Group justify="space-between" wrap="nowrap" gap="md">
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>
              {documents[index]}
            </Text>
            <Text size="sm" className="figures">
              {decimalText(score.toFixed(3))}
            </Text>
          </Group>
          <Progress
            value={Math.min(1, Math.max(0, score)) * 100}
            size="sm"
            mt={4}
            aria-label={t("Relevance {score}", { score: decimalText(score.toFixed(3)) })}
          />
        </li>
      ))}
    </Stack>
  )
}
