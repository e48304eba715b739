import { Box, Text } from "@mantine/core"
import { OUTCOMES_WITHOUT_FAILURE } from "tollgate-contract/outcomes.ts"
import type { RequestSummary } from "tollgate-contract/receipts.ts"
import { countText, durationText, tokensPerSecond } from "../../format/numbers.ts"
import type { Column } from "../../ui/data-column.ts"
import { AccountName } from "../../ui/account-name.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { SessionLink } from "./session-link.tsx"
import { Money } from "../../ui/money.tsx"
import { MarkedModel } from "../../ui/provider-mark.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import { rich, t } from "../../languages/text.ts"

export interface ColumnSettings {
  /** Whether the requests belong to several accounts. */
  readonly isAll: boolean
  /** Whether times are absolute rather than relative. */
  readonly isExact: boolean
  /** Whether the user sees providers. */
  readonly showsCosts: boolean
}

/** Returns the columns of the list of requests. */
export function requestColumns({
  isAll,
  isExact,
  showsCosts,
}: ColumnSettings): readonly Column<RequestSummary>[] {
  const at: Column<RequestSummary> = {
    id: "at",
    header: t("When"),
    cell: (request) => <When at={request.at} isExact={isExact} />,
    width: isExact ? 150 : 120,
    sort: "desc",
    isOneWay: true,
  }
  const account: Column<RequestSummary> = {
    id: "account",
    header: t("Account"),
    isSecondary: true,
    cell: (request) => <AccountName id={request.account} />,
  }
  const [model, ...others] = COLUMNS
  const shown = others.filter(({ id }) => showsCosts || id !== "provider")
  return [model, at, ...(isAll ? [account] : []), ...shown]
}

const COLUMNS: readonly [Column<RequestSummary>, ...Column<RequestSummary>[]] = [
  {
    id: "model",
    header: t("Model"),
    cell: (request) => (
      <Box>
        <MarkedModel model={request.model}>
          <TextLink to="/requests/$request" params={{ request: request.id }} className="anywhere">
            {request.model}
          </TextLink>
        </MarkedModel>
        <Text size="xs" c="dimmed" fw={400} className="anywhere row-detail">
          {endpointText(request)}
        </Text>
      </Box>
    ),
  },
  { id: "outcome", header: t("Outcome"), cell: (request) => <Outcome request={request} /> },
  {
    id: "key",
    header: t("Key"),
    isSecondary: true,
    cell: (request) => <span className="anywhere">{request.key_name ?? request.key}</span>,
  },
  {
    id: "usage",
    header: t("In / out"),
    isSecondary: true,
    isFigure: true,
    cell: (request) => (
      <span
        title={
          request.estimated ? t("Counted by the gateway: the vendor reported no usage") : undefined
        }
      >
        {request.estimated && "≈ "}
        {countText(request.input)} / {countText(request.output)}
      </span>
    ),
  },
  {
    id: "duration",
    header: t("Duration"),
    isSecondary: true,
    isFigure: true,
    sort: "desc",
    isOneWay: true,
    cell: (request) => (
      <span
        title={
          request.first_byte_ms === null
            ? undefined
            : t("First byte after {duration}", { duration: durationText(request.first_byte_ms) })
        }
      >
        {durationText(request.duration_ms)}
      </span>
    ),
  },
  {
    id: "cost",
    header: t("Cost"),
    isFigure: true,
    cell: (request) => <Cost request={request} />,
    sort: "desc",
    isOneWay: true,
  },
  {
    id: "first",
    header: t("First byte"),
    isFigure: true,
    isExtra: true,
    cell: ({ first_byte_ms: firstByte }) => durationText(firstByte),
  },
  {
    id: "speed",
    header: t("Tokens/s"),
    isFigure: true,
    isExtra: true,
    cell: (request) => {
      const speed = tokensPerSecond(request)
      return speed === undefined ? <span className="dim">–</span> : countText(speed)
    },
  },
  extra("provider", t("Provider"), ({ provider }) => provider),
  extra("endpoint", t("Endpoint"), ({ endpoint }) => endpoint),
  extra("user", t("End user"), ({ user }) => user),
  {
    id: "session",
    header: t("Session"),
    isExtra: true,
    cell: ({ session, account }) =>
      session === undefined ? (
        <span className="dim">–</span>
      ) : (
        <SessionLink session={session} account={account} />
      ),
  },
  extra("tags", t("Tags"), ({ tags = {} }) =>
    Object.entries(tags)
      .map(([name, value]) => `${name}=${value}`)
      .join(", "),
  ),
]

function extra(
  id: string,
  header: string,
  textOf: (request: RequestSummary) => string | null | undefined,
): Column<RequestSummary> {
  return {
    id,
    header,
    isExtra: true,
    cell: (request) => <span className="anywhere">{textOf(request) || "–"}</span>,
  }
}

/** Formats the endpoint of a request: `/v1/messages, streamed`. */
export function endpointText({ endpoint, stream }: { endpoint: string; stream: boolean }): string {
  return stream ? t("{endpoint}, streamed", { endpoint }) : endpoint
}

/** Shows the charged amount. Operators also see the cost that was not charged. */
function Cost({ request }: { readonly request: RequestSummary }) {
  const { cost, written_off: writtenOff = "0" } = request
  if (writtenOff === "0") return <Money value={cost} decimals={6} />
  return (
    <Box>
      <Money value={cost} decimals={6} />
      <Text size="xs" c="var(--mantine-color-yellow-light-color)">
        {rich("{money} written off", { money: <Money value={writtenOff} decimals={6} /> })}
      </Text>
    </Box>
  )
}

/** Reports whether an admitted request failed, as in the counts of requests. */
export function hasFailed({ outcome }: Pick<RequestSummary, "outcome">): boolean {
  return !OUTCOMES_WITHOUT_FAILURE.has(outcome)
}

function Outcome({ request }: { readonly request: RequestSummary }) {
  if (request.status === "expired") return <Status value="expired" />
  return <Status value={request.outcome} />
}
