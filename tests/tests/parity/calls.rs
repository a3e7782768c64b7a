//! Calls every tool of the generated adapters, typed and as JSON.

use std::collections::BTreeSet;

use toolwright::{EmbeddedTools, ToolCall};
use toolwright_tests::Extent;

use crate::bench::Bench;

/// Defines a test that compares every call of a service and checks that the list is complete.
macro_rules! compared {
    ($test:ident: $service:ident { $($call:ident)+ }) => {
        #[test]
        fn $test() {
            use toolwright_generated::$service::{$($call),+};
            let adapters: EmbeddedTools = toolwright_generated::$service::TOOLS;
            let specs = adapters.specs().unwrap();
            let names: BTreeSet<String> = specs.iter().map(|spec| spec.name.to_string()).collect();
            let compared = [$($call::NAME.to_owned()),+];
            assert_eq!(BTreeSet::from(compared), names);
            let bench = Bench::new(specs);
            for extent in [Extent::Least, Extent::Most] {
                $(bench.compare::<$call>(extent);)+
            }
        }
    };
}

compared! { azure_is_called_the_same_both_ways: azure {
    CreateAzureContainerGroup DeleteAzureContainerGroup GetAzureContainerGroup
    GetAzureContainerLog ListAzureCachedImages ListAzureContainerCapabilities
    ListAzureContainerGroups ListAzureContainerQuotas ListAzureResourceGroupContainerGroups
    RestartAzureContainerGroup StartAzureContainerGroup StopAzureContainerGroup
    UpdateAzureContainerGroupTags
} }

compared! { depot_is_called_the_same_both_ways: depot {
    AddDepotItemComment CreateDepotItem DeleteDepotItem DownloadDepotItemFile GetDepotItem
    GetDepotStockReport ListDepotItemComments ListDepotItemFiles ListDepotItems SearchDepotItems
    SimulateDepotOrder TransitionDepotItem UpdateDepotItem UploadDepotItemFile
} }

compared! { dify_is_called_the_same_both_ways: dify {
    CreateDifyChunks CreateDifyDocument CreateDifyKnowledgeBase DeleteDifyChunk
    DeleteDifyConversation DeleteDifyDocument DeleteDifyKnowledgeBase GetDifyApp
    GetDifyAppInputs GetDifyDocument GetDifyIndexingStatus GetDifyKnowledgeBase
    GetDifyWorkflowRun ListDifyChunks ListDifyConversations ListDifyDocuments
    ListDifyKnowledgeBases ListDifyKnowledgeTags ListDifyMessages ListDifyWorkflowRuns
    RateDifyMessage RenameDifyConversation RunDifyWorkflow SearchDifyKnowledgeBase
    SendDifyMessage StopDifyMessage StopDifyWorkflow UpdateDifyDocument UpdateDifyKnowledgeBase
    UploadDifyDocument
} }

compared! { inventree_is_called_the_same_both_ways: inventree {
    AddInventreeStock CancelInventreePurchaseOrder CountInventreeStock CreateInventreePart
    CreateInventreePurchaseOrder CreateInventreePurchaseOrderLine CreateInventreeStockItem
    DeleteInventreePart GetInventreePart GetInventreePartRequirements GetInventreePurchaseOrder
    GetInventreeStockItem IssueInventreePurchaseOrder ListInventreeBomItems
    ListInventreeBuildOrders ListInventreeCompanies ListInventreePartCategories
    ListInventreeParts ListInventreePurchaseOrderLines ListInventreePurchaseOrders
    ListInventreeSalesOrders ListInventreeStockHistory ListInventreeStockItems
    ListInventreeStockLocations ListInventreeSupplierParts ReceiveInventreePurchaseOrder
    RemoveInventreeStock TransferInventreeStock UpdateInventreePart UpdateInventreeStockItem
} }

compared! { keycloak_is_called_the_same_both_ways: keycloak {
    AddKeycloakUserRoles AddKeycloakUserToGroup ClearKeycloakLoginFailures CreateKeycloakGroup
    CreateKeycloakRole CreateKeycloakUser DeleteKeycloakGroup DeleteKeycloakUser
    EndKeycloakSession GetKeycloakGroup GetKeycloakLoginFailures GetKeycloakRole GetKeycloakUser
    GetKeycloakUserCount ListKeycloakAdminEvents ListKeycloakEvents ListKeycloakGroupMembers
    ListKeycloakGroups ListKeycloakRoleUsers ListKeycloakRoles ListKeycloakUserGroups
    ListKeycloakUserRoles ListKeycloakUserSessions ListKeycloakUsers LogoutKeycloakUser
    RemoveKeycloakUserFromGroup RemoveKeycloakUserRoles SendKeycloakActionsEmail
    SendKeycloakVerificationEmail UpdateKeycloakUser
} }

compared! { netbox_is_called_the_same_both_ways: netbox {
    AddNetboxJournalEntry CreateNetboxDevice CreateNetboxIpAddress DeleteNetboxDevice
    DeleteNetboxIpAddress GetNetboxDevice GetNetboxInterface GetNetboxIpAddress GetNetboxPrefix
    GetNetboxSite GetNetboxVirtualMachine ListNetboxChanges ListNetboxDeviceRoles
    ListNetboxDeviceTypes ListNetboxDevices ListNetboxFreeIpAddresses ListNetboxInterfaces
    ListNetboxIpAddresses ListNetboxJournalEntries ListNetboxPrefixes ListNetboxRacks
    ListNetboxSites ListNetboxTags ListNetboxTenants ListNetboxVirtualMachines ListNetboxVlans
    ReserveNetboxIpAddresses UpdateNetboxDevice UpdateNetboxIpAddress
} }

compared! { nomad_is_called_the_same_both_ways: nomad {
    DispatchNomadJob GetNomadAllocation GetNomadJob GetNomadJobStatus GetNomadNode
    ListNomadAllocations ListNomadJobAllocations ListNomadJobEvaluations ListNomadJobs
    ListNomadNodes StopNomadAllocation StopNomadJob
} }

compared! { outline_is_called_the_same_both_ways: outline {
    AddOutlineComment ArchiveOutlineDocument CreateOutlineDocument DeleteOutlineDocument
    GetOutlineCollection GetOutlineDocument ListOutlineCollectionDocuments
    ListOutlineCollections ListOutlineComments ListOutlineDocuments SearchOutlineDocuments
    UpdateOutlineDocument
} }

compared! { plane_is_called_the_same_both_ways: plane {
    AddPlaneComment CreatePlaneTask DeletePlaneTask GetPlaneProject GetPlaneTask
    GetPlaneTaskByKey ListPlaneLabels ListPlaneProjectMembers ListPlaneProjects ListPlaneStates
    ListPlaneTaskComments ListPlaneTasks SearchPlaneTasks UpdatePlaneTask
} }

compared! { platform_is_called_the_same_both_ways: platform {
    ClosePlatformContext CreatePlatformContext DeletePlatformContextFact GetPlatformContext
    GetPlatformContextFact GetPlatformSystem ListPlatformContextFacts ListPlatformContexts
    ListPlatformSystems SetPlatformContextFact UpdatePlatformContext
} }

compared! { portainer_is_called_the_same_both_ways: portainer {
    CreatePortainerStack CreatePortainerStackFromGit CreatePortainerTag DeletePortainerStack
    DeletePortainerTag GetPortainerCustomTemplateFile GetPortainerEnvironment
    GetPortainerEnvironmentCounts GetPortainerStack GetPortainerStackFile
    GetPortainerStackImageStatus GetPortainerStatus ListPortainerCustomTemplates
    ListPortainerEnvironmentGroups ListPortainerEnvironments ListPortainerImages
    ListPortainerStacks ListPortainerTags ListPortainerTeams ListPortainerUsers
    MigratePortainerStack RedeployPortainerStack RefreshPortainerEnvironmentSnapshot
    RestartPortainerService StartPortainerStack StopPortainerStack UpdatePortainerStack
} }

compared! { woodpecker_is_called_the_same_both_ways: woodpecker {
    ApproveWoodpeckerPipeline CancelWoodpeckerPipeline CreateWoodpeckerCronJob
    CreateWoodpeckerSecret DeclineWoodpeckerPipeline DeleteWoodpeckerCronJob
    DeleteWoodpeckerPipeline DeleteWoodpeckerPipelineLogs DeleteWoodpeckerSecret
    GetWoodpeckerCronJob GetWoodpeckerCurrentUser GetWoodpeckerPipeline
    GetWoodpeckerPipelineConfig GetWoodpeckerQueue GetWoodpeckerRepo GetWoodpeckerRepoByName
    GetWoodpeckerStepLog ListWoodpeckerBranches ListWoodpeckerCronJobs ListWoodpeckerPipelines
    ListWoodpeckerPullRequests ListWoodpeckerRepos ListWoodpeckerSecrets PauseWoodpeckerQueue
    RestartWoodpeckerPipeline ResumeWoodpeckerQueue RunWoodpeckerCronJob StartWoodpeckerPipeline
    UpdateWoodpeckerCronJob UpdateWoodpeckerRepo UpdateWoodpeckerSecret
} }
