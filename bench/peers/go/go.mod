module cngaes.example/peer

go 1.24
