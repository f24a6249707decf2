export * from '../../simulator/test/support/campaign.ts'
