module example.com/clouds

go 1.26
