// The search: its index is on the site, and no other server is used. Without scripts only the search is missing.
new PagefindUI({ element: '#search', showSubResults: true, showImages: false, resetStyles: false });
