import { Button, Group, SimpleGrid, Skeleton, Stack } from "@mantine/core"
import { IconArrowLeft, IconPrinter } from "../../ui/icons.tsx"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import type { FailedAttemptDocument, RequestRecordDocument } from "tollgate-contract/failures.ts"
import type { Receipt } from "tollgate-contract/receipts.ts"
import { useAccount } from "../../account.tsx"
import { ApiError } from "../../api/api-error.ts"
import { oneQuery } from "../../api/queries.ts"
import { countText, durationText } from "../../format/numbers.ts"
import { useSession } from "../../session.tsx"
import { AccountName, KeyName } from "../../ui/account-name.tsx"
import { CopyButton } from "../../ui/copy-button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { endpointText } from "./request-columns.tsx"
import { type Fact, Facts } from "../../ui/facts.tsx"
import { LinkButton, TextLink } from "../../ui/link-button.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import { uncostedUsage } from "../../format/uncosted-usage.ts"
import { ArithmeticPanel } from "./arithmetic-panel.tsx"
import { AttemptsPanel } from "./attempts-panel.tsx"
import { FailurePanel } from "./failure-panel.tsx"
import { LedgerPanel } from "./ledger-panel.tsx"
import { ContentPanel } from "./content-panel.tsx"
import { LossesPanel } from "./losses-panel.tsx"
import { SessionLink } from "./session-link.tsx"
import { t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

const route = getRouteApi("/signed-in/requests/$request")

/** Shows all stored data about one request. */
export function ReceiptPage() {
  const { request } = route.useParams()
  const asked = useQuery(oneQuery("GET /requests/{request}", { path: { request } }))
  const link = window.location.origin + window.location.pathname
  const back = (
    <LinkButton
      to="/requests"
      variant="default"
      size="xs"
      leftSection={<IconArrowLeft size={16} />}
    >
      {t("All requests")}
    </LinkButton>
  )
  if (asked.error instanceof ApiError && asked.error.status === 404) {
    return (
      <Page title={t("Receipt")}>
        <EmptyState title={t("Nothing is known of this request")} action={back}>
          {t(
            "It may still be running, its ID may be mistyped, or it was rejected more than seven days ago.",
          )}
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page
      title={t("Receipt")}
      description={
        <>
          <Group gap={4} wrap="nowrap">
            <span className="mono anywhere">{request}</span>
            <CopyButton value={request} label={t("Copy the request ID")} />
          </Group>
          <span className="print-only anywhere">{link}</span>
        </>
      }
      actions={
        <>
          <CopyButton value={link} label={t("Copy link to this receipt")} text={t("Copy link")} />
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPrinter size={16} />}
            onClick={() => window.print()}
          >
            {t("Print")}
          </Button>
          {back}
        </>
      }
    >
      <ErrorNotice
        error={asked.error}
        title={t("The receipt could not be loaded")}
        retry={() => void asked.refetch()}
      />
      {asked.isPending && <Skeleton height={320} />}
      {asked.data !== undefined && <RecordParts record={asked.data} />}
    </Page>
  )
}

function RecordParts({ record }: { readonly record: RequestRecordDocument }) {
  const { receipt, failure, attempts } = record
  return (
    <Stack gap="md">
      {failure !== null && <FailurePanel failure={failure} isWhole={receipt === null} />}
      {receipt !== null && <ReceiptParts receipt={receipt} failures={attempts ?? []} />}
    </Stack>
  )
}

interface ReceiptPartsProperties {
  readonly receipt: Receipt
  readonly failures: readonly FailedAttemptDocument[]
}

function ReceiptParts({ receipt, failures }: ReceiptPartsProperties) {
  const { shows_costs: showsCosts } = useSession()
  return (
    <>
      <SummaryPanel receipt={receipt} />
      <SimpleGrid cols={{ base: 1, md: 2 }} className="unstretched">
        <ArithmeticPanel receipt={receipt} />
        <Stack gap="md">
          {showsCosts && <AttemptsPanel receipt={receipt} failures={failures} />}
          <LossesPanel losses={receipt.losses} />
          <UsagePanel receipt={receipt} />
        </Stack>
      </SimpleGrid>
      <LedgerPanel receipt={receipt} />
      <ContentPanel receipt={receipt} />
    </>
  )
}

const NONE_KNOWN: ReadonlyMap<string, string> = new Map()

function SummaryPanel({ receipt }: { readonly receipt: Receipt }) {
  const { isAll } = useAccount()
  const { shows_costs: showsCosts } = useSession()
  const outcome = receipt.attempts.at(-1)?.outcome
  return (
    <Panel>
      <Facts
        facts={[
          {
            label: t("Status"),
            value: (
              <Group gap={6}>
                <Status value={STATUS_CODES[receipt.status]} />
                {outcome !== undefined && outcome !== "ok" && <Status value={outcome} />}
              </Group>
            ),
          },
          {
            label: t("Model"),
            value: (
              <TextLink to="/requests" search={{ model: receipt.model }}>
                {receipt.model}
              </TextLink>
            ),
          },
          ...(receipt.requested_model === undefined
            ? []
            : [{ label: t("Requested as"), value: receipt.requested_model }]),
          ...(showsCosts ? deploymentFacts(receipt) : []),
          ...routeFacts(receipt),
          {
            label: t("Key"),
            value: (
              <TextLink to="/requests" search={{ key: receipt.key }}>
                <KeyName id={receipt.key} known={NONE_KNOWN} />
              </TextLink>
            ),
          },
          {
            label: t("Endpoint"),
            value: endpointText(receipt),
          },
          ...(isAll ? [accountFact(receipt)] : []),
          ...callerFacts(receipt),
          ...(receipt.session === undefined
            ? []
            : [
                {
                  label: t("Session"),
                  value: <SessionLink session={receipt.session} account={receipt.account} />,
                },
              ]),
          { label: t("When"), value: <When at={receipt.created_at} isExact /> },
          { label: t("Duration"), value: durationText(receipt.duration_ms) },
        ]}
      />
    </Panel>
  )
}

const STATUS_CODES: Readonly<Record<Receipt["status"], string>> = {
  settled: "charged",
  released: "not_charged",
  expired: "expired",
}

/** Returns the deployment that served the request, unless it has the same name as the model. */
function deploymentFacts({ deployment, model }: Receipt): Fact[] {
  return deployment === model ? [] : [{ label: t("Served by"), value: deployment ?? t("none") }]
}

function accountFact({ account }: Receipt): Fact {
  return {
    label: t("Account"),
    value: (
      <TextLink to="/accounts/$account" params={{ account }}>
        <AccountName id={account} />
      </TextLink>
    ),
  }
}

/** Returns the end user and the tags that the caller sent. */
function callerFacts({ user, tags = {} }: Receipt): Fact[] {
  const names = Object.entries(tags).map(([name, value]) => `${name}=${value}`)
  return [
    ...(user === undefined
      ? []
      : [
          {
            label: t("End user"),
            value: (
              <TextLink to="/requests" search={{ user }} className="anywhere">
                {user}
              </TextLink>
            ),
          },
        ]),
    ...(names.length === 0
      ? []
      : [
          {
            label: t("Tags"),
            value: names.map((tag) => (
              <TextLink
                key={tag}
                to="/requests"
                search={{ tag }}
                className="anywhere"
                display="block"
              >
                {tag}
              </TextLink>
            )),
          },
        ]),
  ]
}

const ROUTE_WORDS: Readonly<Record<NonNullable<Receipt["routed_by"]>, string>> = {
  state: t("it holds the referenced state"),
  cache_key: t("prompt cache key"),
  session: t("same session"),
  prompt: t("same beginning of the prompt"),
  weight: t("weight"),
  order: t("order"),
  price: t("lowest price"),
  latency: t("latency"),
  least_busy: t("least busy"),
  throughput: t("most tokens a second"),
  models: t("the request’s list of models"),
  "provider.order": t("the request’s order of providers"),
  "provider.only": t("the request’s list of providers"),
  "provider.ignore": t("providers left out by the request"),
  "provider.sort": t("the request’s sorting"),
  "provider.max_price": t("the request’s price limit"),
}

/** Returns the reason why the first deployment was chosen, if there was a choice. */
function routeFacts({ routed_by: reason }: Receipt): Fact[] {
  return reason === undefined ? [] : [{ label: t("Chosen by"), value: ROUTE_WORDS[reason] }]
}

/** Shows the usage that is not part of the cost. */
function UsagePanel({ receipt }: { readonly receipt: Receipt }) {
  const classes = uncostedUsage(receipt)
  if (classes.length === 0) return null
  return (
    <Panel title={receipt.arithmetic === null ? t("Usage") : t("Other usage")}>
      <Facts
        facts={classes.map(([name, quantity]) => ({
          label: word(name),
          value: countText(quantity),
        }))}
      />
    </Panel>
  )
}
