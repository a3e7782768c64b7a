//! Every tool of the generated adapters, called typed and as JSON.

use std::collections::BTreeSet;

use toolwright::{EmbeddedTools, ToolCall};
use toolwright_generated::{depot, nomad, outline, plane};
use toolwright_tests::Extent;

use crate::bench::Bench;

/// Compares each of the calls, and makes sure that none of the service's is left out.
macro_rules! compare {
    ($adapters:expr; $($call:ty),+ $(,)?) => {{
        let adapters: EmbeddedTools = $adapters;
        let specs = adapters.specs().unwrap();
        let names: BTreeSet<String> = specs.iter().map(|spec| spec.name.to_string()).collect();
        let compared = [$(<$call>::NAME.to_owned()),+];
        assert_eq!(BTreeSet::from(compared), names);
        let bench = Bench::new(specs);
        for extent in [Extent::Least, Extent::Most] {
            $(bench.compare::<$call>(extent);)+
        }
    }};
}

#[test]
fn depot_is_called_the_same_both_ways() {
    compare!(
        depot::TOOLS;
        depot::AddDepotItemComment,
        depot::CreateDepotItem,
        depot::DeleteDepotItem,
        depot::DownloadDepotItemFile,
        depot::GetDepotItem,
        depot::GetDepotStockReport,
        depot::ListDepotItemComments,
        depot::ListDepotItemFiles,
        depot::ListDepotItems,
        depot::SearchDepotItems,
        depot::SimulateDepotOrder,
        depot::TransitionDepotItem,
        depot::UpdateDepotItem,
        depot::UploadDepotItemFile,
    );
}

#[test]
fn nomad_is_called_the_same_both_ways() {
    compare!(
        nomad::TOOLS;
        nomad::DispatchNomadJob,
        nomad::GetNomadAllocation,
        nomad::GetNomadJob,
        nomad::GetNomadJobStatus,
        nomad::GetNomadNode,
        nomad::ListNomadAllocations,
        nomad::ListNomadJobAllocations,
        nomad::ListNomadJobEvaluations,
        nomad::ListNomadJobs,
        nomad::ListNomadNodes,
        nomad::StopNomadAllocation,
        nomad::StopNomadJob,
    );
}

#[test]
fn outline_is_called_the_same_both_ways() {
    compare!(
        outline::TOOLS;
        outline::AddOutlineComment,
        outline::ArchiveOutlineDocument,
        outline::CreateOutlineDocument,
        outline::DeleteOutlineDocument,
        outline::GetOutlineCollection,
        outline::GetOutlineDocument,
        outline::ListOutlineCollectionDocuments,
        outline::ListOutlineCollections,
        outline::ListOutlineComments,
        outline::ListOutlineDocuments,
        outline::SearchOutlineDocuments,
        outline::UpdateOutlineDocument,
    );
}

#[test]
fn plane_is_called_the_same_both_ways() {
    compare!(
        plane::TOOLS;
        plane::AddPlaneComment,
        plane::CreatePlaneTask,
        plane::DeletePlaneTask,
        plane::GetPlaneProject,
        plane::GetPlaneTask,
        plane::GetPlaneTaskByKey,
        plane::ListPlaneLabels,
        plane::ListPlaneProjectMembers,
        plane::ListPlaneProjects,
        plane::ListPlaneStates,
        plane::ListPlaneTaskComments,
        plane::ListPlaneTasks,
        plane::SearchPlaneTasks,
        plane::UpdatePlaneTask,
    );
}
