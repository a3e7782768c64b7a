//! Names of arguments and properties for pages: in lower case, with only letters and digits.

use crate::language::WordList;

/// Arguments that take a mark.
pub(super) static MARKS: WordList = WordList::new(
    "cursor nextcursor pagecursor startcursor cursorid pagetoken nextpagetoken nexttoken \
     continuationtoken continuation continue paginationtoken after aftercursor pageafter \
     startingafter startafter marker nextmarker pagemarker bookmark scrollid pagestate starttoken \
     exclusivestartkey startkey nextkey pagekey resumetoken nextpagekey nextpage nextpagecursor \
     pagingtoken skiptoken",
);

/// Marks that an answer gives under the name that the argument has.
pub(super) static SAME: WordList = WordList::new(
    "nextcursor nextpagetoken nexttoken continuationtoken continuation continue paginationtoken \
     nextmarker scrollid nextkey nextpagekey nextpage nextpagecursor resumetoken pagestate bookmark \
     pagingtoken skiptoken",
);

/// Cursors for the next page, with any name of the argument.
pub(super) static NEXT_MARKS: WordList = WordList::new(
    "nextcursor nextpagetoken nexttoken nextpagecursor nextpagekey nextmarker nextkey \
     nextcontinuationtoken continuationtoken endcursor nextpagingtoken nextcursorid \
     nextpaginationtoken nextpagemarker lastevaluatedkey nextbookmark nextpage",
);

/// Objects that speak of pages.
pub(super) static PAGING: WordList = WordList::new(
    "paging pagination page pages meta metadata pageinfo paginginfo paginationinfo cursors cursor \
     cursorinfo responsemetadata resultinfo resultmetadata pagingmetadata paginationmetadata \
     pagemetadata pagecontext pagingcontext next links link",
);

/// Names of the cursor for the next page in such an object.
pub(super) static IN_PAGING: WordList = WordList::new("next after nextpage");

/// Arguments that take an id of an item.
pub(super) static AFTER_ITEM: WordList = WordList::new("startingafter afterid");

/// Arguments that take the number of a page.
pub(super) static PAGES: WordList =
    WordList::new("page pagenumber pagenum pageno pageindex currentpage pagenr");

/// Arguments that take the number of an item.
pub(super) static OFFSETS: WordList =
    WordList::new("offset skip pageoffset startoffset from start startat startindex firstresult");

/// Names that count from 0 by their meaning.
pub(super) static FROM_NOUGHT: WordList = WordList::new("offset skip pageoffset startoffset from");

/// Arguments that take the number of items of a page.
pub(super) static SIZES: WordList = WordList::new(
    "limit perpage pagesize size count maxresults maxitems max top first rows pagelimit take \
     resultsperpage itemsperpage num number maxkeys maxpagesize pagelength maxrecords resultsize \
     limitcount pagecount batchsize nperpage maximum maxcount",
);

/// Properties that are the list of items, of several.
pub(super) static LISTS: WordList = WordList::new(
    "data items results records entries values objects list rows elements resources content hits \
     edges nodes collection members documents value result",
);

/// Properties that are lists and no items, unless they are called as the resource is.
pub(super) static NO_ITEMS: WordList = WordList::new(
    "errors warnings messages links included facets aggregations sort fields columns headers \
     notices schemas _links permissions policies ancestors sorting filters meta",
);

/// URLs of the next page.
pub(super) static NEXT_URLS: WordList = WordList::new(
    "nexturl nextlink nextpageurl nexthref nextpagelink odatanextlink nexturi nextpageuri \
     nextpagehref nextpagepath",
);

/// Booleans that declare whether there is a next page.
pub(super) static MORE: WordList = WordList::new(
    "hasmore hasnext hasnextpage more morepages moreresults hasmoreresults moreresultsavailable \
     hasmoreitems hasmorepages hasmorerecords morerecords moreavailable istruncated",
);

/// Numbers of pages.
pub(super) static NUMBER_OF_PAGES: WordList = WordList::new(
    "totalpages pagecount numpages lastpage totalpagecount pagestotal numberofpages pagetotal",
);

/// Numbers that repeat which page it is.
pub(super) static CURRENT: WordList =
    WordList::new("page currentpage pagenumber pageindex pageno pagenum");

/// Numbers of the next page.
pub(super) static NEXT_NUMBERS: WordList = WordList::new("nextpage nextpagenumber nextpageindex");

/// A name in lower case, letters and digits alone.
pub(super) fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_ascii_alphanumeric());
    letters.map(|c| c.to_ascii_lowercase()).collect()
}
