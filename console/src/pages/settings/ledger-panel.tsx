import { Alert, Button, Group, Loader, Stack, Table, Text } from "@mantine/core"
import { IconAlertCircle, IconBook, IconCheck } from "../../ui/icons.tsx"
import { useQuery } from "@tanstack/react-query"
import type { LedgerVerdict } from "tollgate-contract/operations.ts"
import { api } from "../../api/client.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { Panel } from "../../ui/panel.tsx"
import { t } from "../../languages/text.ts"

/** Verifies every account's ledger on request and shows the result. */
export function LedgerPanel() {
  const verification = useQuery({
    queryKey: ["ledger-verification"],
    queryFn: ({ signal }) => api("GET /ledger/verification", {}, { signal }),
    // Verification reads the complete ledger, so it runs only on request.
    enabled: false,
    retry: false,
    gcTime: 0,
  })
  return (
    <Panel
      title={t("The ledger")}
      description={t(
        "Every entry is chained to the previous one by its hash, and the entries add up to the balances.",
      )}
      actions={
        <Button
          variant="default"
          leftSection={<IconBook size={16} />}
          loading={verification.isFetching}
          onClick={() => void verification.refetch()}
        >
          {t("Verify the ledger")}
        </Button>
      }
    >
      {verification.isFetching && (
        <Group gap="sm" role="status">
          <Loader size="sm" />
          <Text size="sm">{t("Checking every account's entries…")}</Text>
        </Group>
      )}
      {!verification.isFetching && (
        <ErrorNotice error={verification.error} title={t("The ledger could not be verified")} />
      )}
      {!verification.isFetching && verification.data !== undefined && (
        <Verdict verdict={verification.data} />
      )}
    </Panel>
  )
}

function Verdict({ verdict }: { readonly verdict: LedgerVerdict }) {
  const { accounts, entries, problems } = verdict
  if (problems.length === 0) {
    return (
      <Alert icon={<IconCheck />} variant="light" title={t("The ledger is correct")} role="status">
        {t(
          "{entries, plural, one {# entry} other {# entries}} of {accounts, plural, one {# account} other {# accounts}}: every hash and every sum is correct.",
          { entries, accounts },
        )}
      </Alert>
    )
  }
  return (
    <Stack gap="sm">
      <Alert
        color="red"
        icon={<IconAlertCircle />}
        variant="light"
        title={t("The ledger has errors")}
        role="alert"
      >
        {t(
          "{count, plural, one {# fault} other {# faults}} in {entries, plural, one {# entry} other {# entries}} of {accounts, plural, one {# account} other {# accounts}}. Entries were changed outside the gateway, or the disk failed. Keep a copy of the database and compare it with your last backup.",
          { count: problems.length, entries, accounts },
        )}
      </Alert>
      <Table.ScrollContainer minWidth={480} type="native" tabIndex={0}>
        <Table aria-label={t("Ledger errors")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("Account")}</Table.Th>
              <Table.Th>{t("Entry")}</Table.Th>
              <Table.Th>{t("Fault")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {problems.map((problem) => (
              <Table.Tr key={`${problem.account ?? ""} ${problem.number ?? ""} ${problem.fault}`}>
                <Table.Td className="mono">{problem.account ?? t("all")}</Table.Td>
                <Table.Td className="figures">{problem.number ?? "–"}</Table.Td>
                <Table.Td>{problem.message}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  )
}
