import { Box, Text } from "@mantine/core"
import type { ReactNode } from "react"
import type { FailedRequestDocument, ListedRequest } from "tollgate-contract/failures.ts"
import { AccountName, KeyName } from "../../ui/account-name.tsx"
import type { Column } from "../../ui/data-column.ts"
import { TextLink } from "../../ui/link-button.tsx"
import { MarkedModel } from "../../ui/provider-mark.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import { type ColumnSettings, hasFailed, requestColumns } from "./request-columns.tsx"
import "./histogram.css"
import { t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

export interface ListColumnSettings extends ColumnSettings {
  /** Names of loaded keys by id. */
  readonly keys: ReadonlyMap<string, string>
}

/** Returns the columns of the list of admitted and rejected requests. */
export function listColumns(settings: ListColumnSettings): readonly Column<ListedRequest>[] {
  const [model, ...others] = requestColumns(settings).map(
    ({ cell, ...column }): Column<ListedRequest> => ({
      ...column,
      cell: ({ admitted, rejected }) => {
        if (admitted !== null) return cell(admitted)
        return rejected === null ? null : rejectedCell(column.id, rejected, settings)
      },
    }),
  )
  return model === undefined ? [] : [model, RESULT, ...others]
}

/** Distinguishes requests in the same way as the chart above the list. */
const RESULT: Column<ListedRequest> = {
  id: "result",
  header: t("Status"),
  isSecondary: true,
  cell: ({ admitted }) => {
    const result = admitted === null ? "rejected" : hasFailed(admitted) ? "failed" : "answered"
    return (
      <span className="chart-key">
        <i className={`histogram-${result}`} /> {word(result)}
      </span>
    )
  },
}

function rejectedCell(
  column: string,
  { id, at, model, endpoint, account, key, code, message }: FailedRequestDocument,
  { isExact, keys }: ListColumnSettings,
): ReactNode {
  switch (column) {
    case "model":
      return (
        <Box>
          <MarkedModel model={model}>
            <TextLink to="/requests/$request" params={{ request: id }} className="anywhere">
              {model ?? "–"}
            </TextLink>
          </MarkedModel>
          <Text size="xs" c="dimmed" fw={400} className="anywhere row-detail">
            {endpoint}
          </Text>
        </Box>
      )
    case "at":
      return <When at={at} isExact={isExact} />
    case "outcome":
      return <Status value={code} title={message} />
    case "account":
      return account === null ? (
        <span className="dim">{t("unknown")}</span>
      ) : (
        <AccountName id={account} />
      )
    case "key":
      return key === null ? (
        <span className="dim">{t("unknown")}</span>
      ) : (
        <KeyName id={key} known={keys} />
      )
    case "endpoint":
      return <span className="anywhere">{endpoint}</span>
    default:
      return <span className="dim">–</span>
  }
}
